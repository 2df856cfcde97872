"""Parts of the Throughput pane."""
