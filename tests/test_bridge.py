"""The four lines of lessons 00 and 09: each is measured, on the loop that its lesson built."""

import numpy as np
import pytest

from course_utils import bridge


@pytest.mark.parametrize("factor", [0.2, 0.5, 0.9, 0.99])
def test_each_line_falls_by_the_factor_at_every_step(factor):
    lines = bridge.four_lines(factor, 25)
    assert list(lines) == ["pole", "eigenvalue", "Jacobian factor", "forget gate"]
    for name, line in lines.items():
        np.testing.assert_allclose(line, factor ** np.arange(26), rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("loop", ["one_pole", "free_run", "rnn_forward", "lstm_trace"])
def test_without_the_loop_of_a_lesson_there_is_no_line(loop, monkeypatch):
    monkeypatch.setattr(bridge, loop, lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        bridge.four_lines(0.9, 3)
