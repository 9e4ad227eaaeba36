"""The numbers that the suite looks for are many, and those of the seed."""

from leaks import hidden_numbers


def test_ex02_has_many_hidden_numbers():
    assert len(hidden_numbers("ex02", 7)) > 100


def test_another_seed_hides_other_numbers():
    assert not hidden_numbers("ex02", 7) & hidden_numbers("ex02", 8)
