"""The panes, one folder each: pane, parts, and the controller that ties it to the session."""
