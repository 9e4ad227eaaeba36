"""How the tests are shared among workers: what computes together stays together."""

import pytest
from conftest import InGroups

ROW = "tests/hostile/test_hostile.py::test_{}[a row with :: and ]]"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tests/test_class.py::test_a[s01]", "tests/test_class.py::test_b[s03]"),
        ("tests/test_exercises.py::test_a[ex05-rnn_forward]", "tests/test_exercises.py::test_b[ex05]"),
        (ROW.format("points"), ROW.format("verdicts")),
        (
            "tests/test_browser_lessons.py::test_a[10_classifier]",
            "tests/test_browser_lessons.py::test_b[10_classifier-0]",
        ),
    ],
)
def test_tests_that_share_a_fixture_are_in_one_group(one, other):
    assert InGroups._split_scope(None, one) == InGroups._split_scope(None, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tests/test_class.py::test_a", "tests/test_forty.py::test_a"),
        ("tests/test_exercises.py::test_a[ex05-one]", "tests/test_exercises.py::test_a[ex06-one]"),
        (ROW.format("points"), ROW.format("points").replace("row", "file")),
        (
            "tests/test_browser_lessons.py::test_a[10_classifier]",
            "tests/test_browser_lessons.py::test_a[11_language_model]",
        ),
    ],
)
def test_what_shares_nothing_can_run_side_by_side(one, other):
    assert InGroups._split_scope(None, one) != InGroups._split_scope(None, other)


def test_the_workers_run_groups(request):
    scheduler = request.config.hook.pytest_xdist_make_scheduler
    assert any(found.plugin.InGroups is InGroups for found in scheduler.get_hookimpls())
