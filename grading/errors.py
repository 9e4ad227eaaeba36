"""Errors that a person can mend: the command prints their one sentence and exits non-zero."""


class UserError(Exception):
    """Something the user gave or set is wrong; the message says what and the way out."""


def in_words(error):
    """What any other error says, as part of a sentence; its kind where it says nothing."""
    return (str(error).strip() or type(error).__name__)[:200]
