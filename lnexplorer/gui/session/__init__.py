"""The state of a session, the services that change it, files and history; no window."""
