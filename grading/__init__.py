"""Builds, releases and grades the exercises; the instructor's side of the course."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The repository: notebooks, course_utils and grading lie below it."""

CANARY = "rnn-course-canary-5b1e9c"
"""Planted in every reference, bank and solution; nothing that a student gets may contain it."""

# jsonschema loads it where it is installed; it builds parsers for a second, and no notebook needs them
sys.modules.setdefault("rfc3987_syntax", None)
