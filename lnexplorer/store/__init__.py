"""Everything that is kept on the disk: settings, history, recordings, sessions."""
