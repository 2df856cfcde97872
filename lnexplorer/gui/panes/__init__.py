"""The panes, one folder each: the pane, its parts, and the controller that ties it to the session."""
