"""Languages of the window: which there are, loading and changing them."""
