"""Correctness of a provider's results.

`results` has the float64 reference, PyTorch's results and the kernels'; `tolerance` argues the
bounds, `accuracy` judges every element, `judging` gives the verdict, also in a process of its own,
`verifier` checks a provider.
"""
