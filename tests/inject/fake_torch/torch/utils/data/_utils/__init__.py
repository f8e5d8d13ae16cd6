from . import pin_memory  # noqa: F401
