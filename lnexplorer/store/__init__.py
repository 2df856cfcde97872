"""What is kept between starts, and what is handed on: settings, history, recordings, the JSON of a
run.
"""
