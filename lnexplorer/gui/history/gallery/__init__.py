"""What was recorded before, as cards to choose from."""
