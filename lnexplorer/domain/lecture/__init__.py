"""What lecture mode tells: its steps, the worked example, and the answers to its questions, all
computed.
"""
