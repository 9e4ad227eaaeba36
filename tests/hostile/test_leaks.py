"""The numbers that the suite looks for are many, and those of the seed."""

from leaks import hidden_numbers, numbers_in


def test_ex02_has_many_hidden_numbers():
    assert len(hidden_numbers("ex02", 7)) > 100


def test_another_seed_hides_other_numbers():
    assert not hidden_numbers("ex02", 7) & hidden_numbers("ex02", 8)


def test_a_number_is_found_wherever_its_point_stands():
    number = max(hidden_numbers("ex02", 7))
    assert numbers_in(f"a number 12.{number}, it is", "ex02", 7) == {number}
    assert number in numbers_in(f"{number[:3]}.{number[3:]}", "ex02", 7)
