"""Parts of the pane of one's own kernel: its versions, checked and timed whenever its file is
saved.
"""
