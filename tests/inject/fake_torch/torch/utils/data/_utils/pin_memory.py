def pin_memory(data, device=None):
    return data.pin_memory(device)
