"""Every attack of the suite succeeds where nothing protects the grader, so the suite is known to bite."""

import pytest
from attack import Score
from test_hostile import ROWS
from unprotected import points_in_process


@pytest.mark.parametrize("row", [row for row in ROWS if isinstance(row, Score)], ids=lambda row: row.id)
def test_an_attack_on_the_score_earns_full_marks_in_process(row, tmp_path):
    assert points_in_process([row.trick, row.answer], row.hidden, tmp_path) == 3
