"""Parts of the pane that shows what a program touches."""
