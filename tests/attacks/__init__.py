"""Attacks on the program that go on for as long as one lets them: `python -m tests.attacks --seed S
--minutes T`.
"""
