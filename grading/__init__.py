"""Builds, releases and grades the exercises; the instructor's side of the course."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The repository: notebooks, course_utils and grading lie below it."""

CANARY = "rnn-course-canary-5b1e9c"
"""Planted in every reference, bank and solution; nothing that a student gets may contain it."""
