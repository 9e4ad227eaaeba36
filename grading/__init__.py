"""Builds, releases and grades the exercises; the instructor's side of the course."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The repository: notebooks, course_utils and grading lie below it."""
