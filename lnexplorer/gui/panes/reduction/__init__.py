"""Parts of the Reduction pane: the clock, the canvas, the controls, and the words."""
