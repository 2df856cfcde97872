"""The messages between the engine and a worker. Nothing else knows msgspec."""
