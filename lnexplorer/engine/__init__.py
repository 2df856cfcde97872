"""Runs workers: starts them, gives them jobs, hears them, ends them. No Qt."""
