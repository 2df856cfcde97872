"""What is here and what is missing, in words to act on.

Standard library only, so that it works where Qt or torch do not.
"""
