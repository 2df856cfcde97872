"""The lecture and its exercises: steps, worked example, questions, sheets and checks; no Qt."""
