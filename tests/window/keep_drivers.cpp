// An OpenGL driver that is unloaded takes its globals with it, and what they held looks leaked. With AddressSanitizer
// libraries stay loaded: this dlclose comes before the system's.
#ifdef LANESCOPE_ASAN
extern "C" int dlclose(void* library) noexcept;
extern "C" int dlclose(void*) noexcept { return 0; }
#endif
