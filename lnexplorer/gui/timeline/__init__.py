"""Pictures of reduction timelines, their clock, sentences and films, and the kernels' source."""
