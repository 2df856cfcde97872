"""What the engine and a worker say to each other. The only place that knows msgspec."""
