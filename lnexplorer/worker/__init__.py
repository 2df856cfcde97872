"""The worker process, the only user of torch, triton and lnkernels. It owns one device, and does
one job at a time.
"""
