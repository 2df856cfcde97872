"""Drawing of reduction timelines: frames, lanes, waterfall, and the source panel beside them."""
