"""Figures are tested by what was drawn: lines, labels, data, and the text computed from them."""

import base64
import doctest
import itertools

import matplotlib
import numpy as np
import pytest
from drawn import demand_axes_and_bytes, line
from matplotlib import pyplot
from matplotlib.figure import Figure

from course_utils import alt_text, plots

ROWS = [0.9 ** np.arange(30.0), 0.5 ** np.arange(30.0)]
LABELS = ["alpha 0.9", "alpha 0.5"]
DAYS = np.datetime64("2020-01-01") + np.arange(30)
OMEGA = np.geomspace(0.01, 3, 30)
EVERY_PLOT = [
    lambda: plots.states(ROWS, LABELS, inputs=np.eye(1, 30)[0]),
    lambda: plots.against_taps(ROWS[0], [ROWS[1]], ["5 taps"]),
    lambda: plots.impulse(ROWS, LABELS, log=True, level=0.37),
    lambda: plots.gain(OMEGA, ROWS, LABELS),
    lambda: plots.measured_gain(OMEGA, ROWS[0], OMEGA[:3], ROWS[0][:3]),
    lambda: plots.pole_plane([0.5, -0.9], LABELS),
    lambda: plots.smoothed(DAYS, ROWS[0], [ROWS[1]], ["slow"]),
]


def text(target, caption="See the decay."):
    return plots.bundle(target, caption)[0]["text/plain"]


@pytest.mark.parametrize("plot", EVERY_PLOT)
def test_every_plot_names_both_axes_and_draws_the_same_bytes_twice(plot):
    demand_axes_and_bytes(plot)


def test_every_plot_takes_axes_and_draws_on_them():
    left, right = plots.panels(2)
    assert plots.impulse(ROWS, LABELS, ax=right) is right
    assert not left.lines
    assert left.figure is right.figure


def test_states_are_drawn_over_steps_counted_from_one():
    drawn = line(plots.states(ROWS, LABELS), "alpha 0.5")
    np.testing.assert_array_equal(drawn.get_xdata(), np.arange(1, 31))
    np.testing.assert_array_equal(drawn.get_ydata(), ROWS[1])


def test_inputs_are_green_and_states_are_not():
    ax = plots.states(ROWS, LABELS, inputs=np.zeros(30))
    assert line(ax, "input").get_color() == plots.INPUT
    assert plots.INPUT not in {line(ax, label).get_color() for label in LABELS}


def test_curves_differ_in_dash_as_well_as_in_colour():
    first, second = (line(plots.gain(OMEGA, ROWS, LABELS), label) for label in LABELS)
    assert first.get_color() != second.get_color()
    assert first.get_linestyle() != second.get_linestyle()


def test_a_log_impulse_response_draws_the_sizes():
    ax = plots.impulse([(-0.5) ** np.arange(9.0)], ["alpha -0.5"], log=True)
    assert ax.get_yscale() == "log"
    np.testing.assert_allclose(line(ax, "alpha -0.5").get_ydata(), 0.5 ** np.arange(9.0))


def test_up_to_three_curves_are_named_at_their_ends_and_more_in_a_legend():
    few, many = plots.states(ROWS, LABELS), plots.states(ROWS * 2, list("abcd"))
    assert [words.get_text() for words in few.texts] == LABELS[::-1]
    assert few.get_legend() is None
    assert len(many.get_legend().get_texts()) == 4


def test_names_at_the_ends_keep_their_distance_and_stay_inside():
    ax = plots.states([np.linspace(0, end, 5) for end in (1, 0.95, 0)], list("abc"))
    heights = sorted(words.get_position()[1] for words in ax.texts)
    assert len(heights) == 3
    assert np.diff(heights).min() > 0.08
    assert heights[-1] <= 1


def test_curves_that_end_in_one_place_are_named_in_a_legend():
    ax = plots.states([np.ones(5), np.linspace(0, 1, 5)], ["held", "rising"], inputs=np.ones(5))
    assert not ax.texts
    assert [words.get_text() for words in ax.get_legend().get_texts()] == ["input", "held", "rising"]


@pytest.mark.parametrize(("count", "markers"), [(30, {"o", "s"}), (31, {""})])
def test_short_rows_show_each_of_their_points(count, markers):
    ax = plots.states([np.ones(count)], ["h"], inputs=np.zeros(count))
    assert {drawn.get_marker().replace("None", "") for drawn in ax.lines} == markers


def test_a_loop_is_blue_and_the_taps_that_copy_it_are_amber_in_two_dashes():
    ax = plots.against_taps(ROWS[0], ROWS, ["100 taps", "459 taps"], name="pole 0.99")
    assert line(ax, "pole 0.99").get_color() == plots.STATE
    taps = [line(ax, label) for label in ("100 taps", "459 taps")]
    assert {drawn.get_color() for drawn in taps} == {plots.WEIGHT}
    assert len({drawn.get_linestyle() for drawn in [line(ax, "pole 0.99"), *taps]}) == 3
    np.testing.assert_array_equal(taps[1].get_ydata(), ROWS[1])


def test_a_name_stands_at_the_height_where_its_curve_ends():
    ax = plots.states([np.linspace(0, 100, 9), np.linspace(0, 50, 9)], ["full", "half"])
    heights = {words.get_text(): words.get_position()[1] for words in ax.texts}
    assert heights["half"] == pytest.approx(0.5, abs=0.01)


def test_poles_stand_where_they_are_and_the_circle_has_radius_one():
    ax = plots.pole_plane([0.6 + 0.3j], ["pole"])
    assert (line(ax, "pole").get_xdata()[0], line(ax, "pole").get_ydata()[0]) == (0.6, 0.3)
    np.testing.assert_allclose(np.hypot(*line(ax, "unit circle").get_data()), 1)


def test_the_frequencies_on_the_circle_are_marked_and_named():
    ax = plots.pole_plane([0.5], ["pole"])
    angles = np.angle(line(ax, "frequencies 0, pi/2, pi").get_xydata() @ [1, 1j])
    np.testing.assert_allclose(angles, [0, np.pi / 2, np.pi], atol=1e-12)
    assert [words.get_text() for words in ax.texts[:3]] == [
        r"$\omega=0$",
        r"$\omega=\pi/2$",
        r"$\omega=\pi$",
    ]


def test_the_names_on_the_map_touch_neither_each_other_nor_the_circle():
    ax = plots.pole_plane([0.5, -0.9, 1.05], ["0.5 decays", "-0.9 decays, flips", "1.05 grows"])
    ax.figure.draw_without_rendering()
    boxes = [words.get_window_extent() for words in ax.texts]
    assert not [pair for pair in itertools.combinations(boxes, 2) if pair[0].overlaps(pair[1])]
    circle = ax.transData.transform(line(ax, "unit circle").get_xydata())
    assert not any(box.count_contains(circle) for box in boxes)


def test_the_text_holds_the_caption_and_the_numbers():
    words = text(plots.impulse([0.5 ** np.arange(4.0)], ["alpha 0.5"]))
    assert words.startswith("See the decay. [state against steps after the 1.")
    assert "alpha 0.5: 4 points, 0 to 3, first 1, last 0.125, least 0.125, greatest 1, mean 0.4688" in words


def test_a_changed_curve_changes_the_text():
    changed = [ROWS[0], ROWS[1].copy()]
    changed[1][10] += 0.3
    assert text(plots.states(changed, LABELS)) != text(plots.states(ROWS, LABELS))


def test_dates_stay_dates_in_the_text():
    assert "2020-01-01 to 2020-01-30" in text(plots.smoothed(DAYS, ROWS[0], [], []))


def test_points_bars_and_images_are_in_the_text():
    ax = Figure().subplots()
    ax.scatter([1, 2], [5.5, 7.5], label="cloud")
    ax.bar([0, 1], [3.25, 4], label="counts")
    ax.imshow([[0.0, 9.125]])
    words = alt_text.summary(ax.figure)
    for number in ("cloud: 2 points", "5.5", "counts: 2 points", "3.25", "image: 2 points", "9.125"):
        assert number in words


def test_rounding_noise_and_missing_values_do_not_reach_the_text():
    words = text(plots.states([np.array([1e-17, np.nan, 1.0])], ["h"]))
    assert "h: 3 points, 1 to 3, first 0, last 1, least 0, greatest 1, mean 0.5, 1 not finite" in words


def test_the_bundle_holds_one_picture_in_two_forms_with_its_alternative_text():
    data, metadata = plots.bundle(plots.states(ROWS, LABELS), 'Is 0 < h & "small"?')
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert 'width="660" height="330"' in data["text/html"]
    assert 'alt="Is 0 &lt; h &amp; &quot;small&quot;? [' in data["text/html"]
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_show_publishes_exactly_one_output(capsys, monkeypatch):
    published = []
    monkeypatch.setattr("IPython.display.display", lambda data, **kwargs: published.append((data, kwargs)))
    assert plots.show(plots.states(ROWS, LABELS), "See.") is None
    assert len(published) == 1
    assert published[0][1]["raw"] is True
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("caption", ["", "  ", None])
def test_an_empty_caption_is_refused(caption):
    with pytest.raises(ValueError, match="caption is empty"):
        plots.show(plots.states(ROWS, LABELS), caption)


def test_no_figure_stays_open_for_the_notebook_to_show_again():
    text(plots.states(ROWS, LABELS, ax=pyplot.subplots()[1]))
    assert pyplot.get_fignums() == []


def test_drawing_leaves_the_settings_of_others_alone():
    before = dict(matplotlib.rcParams)
    text(plots.states(ROWS, LABELS))
    assert dict(matplotlib.rcParams) == before


def test_docstring_examples_run():
    result = doctest.testmod(alt_text)
    assert result.attempted > 0
    assert result.failed == 0
