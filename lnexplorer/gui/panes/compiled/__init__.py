"""Parts of the pane of what the compiler made of the kernels."""
