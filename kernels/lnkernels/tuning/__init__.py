"""Search for the best launch settings on a GPU: `python -m lnkernels.tuning.search`."""
