"""Parts of the Correctness pane."""
