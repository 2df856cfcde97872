"""The main window: workspaces, actions, opening and closing."""
