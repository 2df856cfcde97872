"""The panes of the window: setters in, signals of intent out. They know neither client nor engine."""
