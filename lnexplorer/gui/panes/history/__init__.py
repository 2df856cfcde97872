"""Parts of the History pane."""
