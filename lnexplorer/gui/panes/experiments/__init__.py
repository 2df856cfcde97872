"""Parts of the experiments pane."""
