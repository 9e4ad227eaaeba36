"""The dials of lesson 07 say and draw their numbers."""

import itertools

import numpy as np
import pytest
from dials import recall_browser, set_to

from course_utils import horizon, widgets_horizon


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"sigma": 1.0, "spread": 0.5}, "0.758 a step, 1e-6 is reached after 49.8 steps"),
        ({"sigma": 1.0, "spread": 0.5}, "typical singular value 1 times typical slope 0.761 = 0.761"),
        ({"sigma": 1.0, "spread": 0.2}, "0.882 a step"),
        ({"sigma": 1.0, "spread": 0.25}, "0.857 a step"),
        ({"sigma": 3.0, "spread": 3.0}, "1.03 a step, the gradient grows"),
        ({"sigma": 1.0, "spread": 0.05, "kind": "gaussian"}, "1e-6 is reached after 21.6 steps"),
        ({"sigma": 1.5, "kind": "gaussian"}, "the bound is 1.5 a step"),
    ],
)
def test_the_horizon_dial_says_its_numbers(values, words):
    assert words in set_to(widgets_horizon.horizon_dial(), **values)


def test_the_horizon_dial_draws_the_runs_the_bound_and_the_slopes():
    dial = widgets_horizon.horizon_dial(sigma=1.5, spread=1.0)
    run = horizon.driven_states("orthogonal", 1.5, 1.0, 1, 61, 64)
    wanted = horizon.carried_back(run.states, run.W_hh, run.end)
    np.testing.assert_allclose(dial.scene["run 2"].get_ydata(), wanted)
    np.testing.assert_allclose(dial.scene["bound"].get_ydata(), 1.5 ** np.arange(61))
    slopes = dial.scene["slopes"].get_ydata()
    assert np.all(np.diff(slopes) >= 0)
    assert 0 <= slopes[0] < slopes[-1] <= 1


@pytest.mark.parametrize("sigma", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("kind", horizon.STARTS)
def test_no_run_leaves_its_panel(sigma, kind):
    dial = widgets_horizon.horizon_dial()
    set_to(dial, sigma=sigma, kind=kind, spread=3.0)
    low, high = dial.scene["run 1"].axes.get_ylim()
    for number in (1, 2, 3):
        sizes = dial.scene[f"run {number}"].get_ydata()
        assert low <= sizes.min() <= sizes.max() <= high


def test_the_legend_of_the_horizon_dial_meets_no_curve():
    dial = widgets_horizon.horizon_dial()
    ax = dial.scene["bound"].axes
    names = ("bound", "formula", "run 1", "run 2", "run 3")
    for kind, sigma, spread in itertools.product(
        horizon.STARTS, [0.25, 0.5, 1.0, 2.0, 4.0], [0.05, 0.5, 3.0]
    ):
        set_to(dial, kind=kind, sigma=sigma, spread=spread)
        box = ax.get_legend().get_window_extent()
        for name in names:
            assert not box.count_contains(ax.transData.transform(dial.scene[name].get_xydata()))


def test_the_browser_says_how_a_run_began_where_it_was_steepest_and_how_it_ended():
    words = set_to(recall_browser(), T=20, seed=0)
    assert words.startswith("T = 20, seed 0: 1 of fresh sequences right at the end.")
    assert "starts at 1e-06, 0.50 a step; the factor is largest at update 50, 1.10 a step" in words
    assert words.endswith("and 0.96 at the end.")


def test_the_browser_draws_the_run_that_was_chosen():
    dial = recall_browser()
    set_to(dial, T=5, seed=0)
    np.testing.assert_array_equal(dial.scene["accuracy"].get_xydata(), [[0, 0.1], [50, 0.5], [99, 1]])
    np.testing.assert_allclose(dial.scene["first"].get_ydata(), [0.03, 0.4 * 1.1**4, 0.1])
    np.testing.assert_allclose(dial.scene["last"].get_ydata(), [0.5, 0.4, 0.2])


def test_distances_are_offered_in_order():
    assert [value for _, value in recall_browser().controls["T"].options] == [5, 20]
