def train(loader):
    for batch in loader:  # batches
        while x:
            y = f(batch)
	loss.item()
    """
    for a in b
    """
