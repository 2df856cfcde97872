"""Parts of the Sweep pane."""
