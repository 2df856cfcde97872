"""The backward strategies, one file each: kernels, what launches them, their memory, and how they are traced."""
