"""What the window is about: the request, the run, and what of it is shown."""
