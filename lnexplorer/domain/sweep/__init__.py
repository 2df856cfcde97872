"""Sweeps: many settings measured one after another, their rows, and what these show."""
