"""Draws a reduction's timeline at one moment: geometry and pictures, without widgets."""
