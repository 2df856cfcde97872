"""What leaves the window: pictures of charts, runs in other forms, sessions."""
