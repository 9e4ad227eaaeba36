"""Every attack of the suite succeeds where nothing protects the grader, so the suite is known to bite."""

import sys

import pytest
from attack import Cells, Reach, Score, Smuggled
from table import all_rows
from unprotected import hidden_test, output_of, points_as_submitted, points_in_process


def every(kind):
    """Run a test with each row that is an attack of a kind."""
    rows = [row for row in all_rows() if isinstance(row, kind)]
    return pytest.mark.parametrize("row", rows, ids=lambda row: row.id)


@every(Score)
def test_a_trick_earns_full_marks_in_process(row, tmp_path):
    assert points_in_process([row.trick, row.answer], row.hidden, tmp_path) == 3


@every(Cells)
def test_a_changed_file_earns_points_with_its_own_tests(row, tmp_path):
    assert row.bites.items() <= points_as_submitted(row.submission(), tmp_path).items()


@pytest.mark.skipif(sys.platform != "linux", reason="the decoys are those of Linux")
@every(Reach)
def test_an_attack_reaches_what_it_is_after(row, tmp_path):
    with row.decoy() as (values, succeeded):
        code = row.filled(values, row.small)
        outputs = [output_of(code, tmp_path) for _ in range(row.runs)]
        assert succeeded(outputs[-1])


@every(Smuggled)
def test_a_hidden_input_is_shown_in_process(row, tmp_path):
    assert "0.93" in str(hidden_test([row.answer], "allclose", tmp_path).outputs)
