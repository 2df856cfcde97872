"""The window. Views take values by setters and report intents by signals; controllers join them to
the engine.
"""
