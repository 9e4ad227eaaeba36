"""The student's library of the course: what a lesson imports.

Modules are named after the idea they carry; importing the package imports none of them, so that a
notebook pays only for what it uses.
"""

__version__ = "0.1.0"
