"""Errors that a person can mend: the command prints their one sentence and exits non-zero."""


class UserError(Exception):
    """Something the user gave or set is wrong; the message says what and the way out."""
