"""The window itself: its frame, its actions, its looks, and what ties its parts to the engine."""
