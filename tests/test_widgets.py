"""The dials of lesson 02 say and draw their numbers; failures surface."""

import itertools
import re
from pathlib import Path

import ipywidgets
import pytest
from dials import set_to

import course_utils
from course_utils import scenes, widgets


@pytest.mark.parametrize("make", [widgets.pole_dial, widgets.fir_match])
def test_the_words_begin_with_the_pole(make):
    assert set_to(make(), alpha=0.75).startswith("Pole 0.75")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"alpha": 0.9}, "horizon 9.491 steps"),
        ({"alpha": 0.99, "normalised": True}, "A constant 1 settles at 1,"),
        ({"alpha": 0.99}, "A constant 1 settles at 100,"),
        ({"alpha": -0.9}, "its sign alternating"),
        ({"alpha": 1.0}, "holds for ever"),
        ({"alpha": 1.05}, "the state grows"),
        ({"alpha": 1.0, "normalised": True}, "nothing enters"),
        ({"alpha": 0.9, "steps": 20}, "0.135 of an impulse is left after 19 steps"),
        ({"alpha": 0.9}, "above 0.105 radians per step the power is less than half that of a constant"),
        ({"alpha": -0.99}, "no frequency falls below half the power of a constant"),
        ({"alpha": 0.995}, "Pole 0.995, inside the circle"),
        ({"alpha": -1.0}, "Pole -1, on the circle"),
        ({"alpha": 1.005}, "Pole 1.005, outside the circle"),
    ],
)
def test_the_pole_dial_says_its_numbers(values, words):
    assert words in set_to(widgets.pole_dial(), **values)


def test_the_fir_match_says_what_is_missing_and_what_it_costs():
    words = set_to(widgets.fir_match(), alpha=0.99, taps=459)
    assert "leaves out 0.992 per cent" in words
    assert "459 multiplications a step against 1" in words
    assert "One per cent needs 459 taps" in words


def test_one_tap_is_singular():
    words = set_to(widgets.fir_match(), alpha=0.9, taps=1)
    assert "1 tap: the window sees exactly 1 step and" in words
    assert "1 multiplication a step" in words


def test_the_tap_slider_reaches_a_hundredth_of_a_per_cent_at_its_slowest_pole():
    controls = widgets.fir_match().controls
    assert widgets.taps_to_match(controls["alpha"].max, 1e-4) <= controls["taps"].max == 1000


@pytest.mark.parametrize(("alpha", "word"), [(0.99, "inside"), (1.0, "on"), (-1.02, "outside")])
def test_the_map_says_where_the_pole_is_on_the_side_of_the_middle(alpha, word):
    scene = widgets.pole_dial(alpha).scene
    assert scene["place"].get_text() == word
    assert abs(scene["place"].get_position()[0]) < abs(alpha)
    assert scene["place"].get_horizontalalignment() == ("right" if alpha > 0 else "left")


@pytest.mark.parametrize("alpha", [-0.99, 0.5, 0.9, 0.99, 1.02])
@pytest.mark.parametrize("normalised", [True, False])
def test_the_first_state_fills_a_good_part_of_its_axis(alpha, normalised):
    dial = widgets.pole_dial()
    set_to(dial, alpha=alpha, normalised=normalised)
    response = dial.scene["impulse"]
    share = max(abs(response.get_ydata())) / response.axes.get_ylim()[1]
    assert 0.4 < share < 1


def test_an_empty_log_panel_says_why():
    dial = widgets.pole_dial()
    set_to(dial, alpha=1.0, normalised=True)
    assert dial.scene["empty"].get_visible()
    set_to(dial, normalised=False)
    assert not dial.scene["empty"].get_visible()


def test_the_legend_of_the_fir_match_never_meets_a_curve():
    dial = widgets.fir_match()
    for alpha, taps in itertools.product([0.5, 0.9, 0.99], [1, 44, 459, 1000]):
        set_to(dial, alpha=alpha, taps=taps)
        (ax,) = (ax for ax in dial.scene.figure.axes if ax.get_legend())
        box = ax.get_legend().get_window_extent()
        assert not any(box.count_contains(ax.transData.transform(c.get_xydata())) for c in ax.lines)


def test_the_pole_dial_moves_the_artists_it_names():
    dial = widgets.pole_dial()
    set_to(dial, alpha=-0.5)
    assert list(dial.scene["impulse"].get_ydata()[:3]) == [1, -0.5, 0.25]
    assert list(dial.scene["log"].get_ydata()[:3]) == [1, 0.5, 0.25]
    assert list(dial.scene["pole"].get_xdata()) == [-0.5]
    assert dial.scene["gain"].get_ydata()[-1] == pytest.approx(2)


def test_taps_stop_where_the_pole_goes_on():
    scene = widgets.fir_match(alpha=0.9, taps=10).scene
    assert scene["tap rise"].get_ydata()[-1] == pytest.approx(1 - 0.9**10)
    assert scene["pole rise"].get_ydata()[-1] == pytest.approx(1, abs=1e-4)


def test_an_error_while_drawing_is_raised_and_shown():
    dial = widgets.pole_dial()
    dial.move = lambda **values: 1 / 0
    with pytest.raises(ZeroDivisionError):
        dial.controls["alpha"].value = 0.5
    assert '<pre role="alert">This dial failed. ZeroDivisionError' in dial.picture.value


def test_a_dial_without_a_kernel_still_shows_picture_and_words():
    dial = widgets.fir_match()
    shown = dial._repr_mimebundle_()
    assert shown["text/plain"] == dial.alt
    assert "<img" in shown["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in shown


def test_a_choice_is_no_list_whose_keys_jupyterlab_takes():
    control = widgets.pole_dial().controls["steps"]
    assert isinstance(control, ipywidgets.ToggleButtons)
    assert control.options == (("20", 20), ("60", 60), ("200", 200))


def test_old_backgrounds_are_dropped(monkeypatch):
    monkeypatch.setattr(scenes, "KEPT", 3)
    scene = scenes.fir_scene()
    for reach in range(20, 28):
        scene.figure.axes[0].set_xlim(0, reach)
        scene.picture("words")
    assert len(scene.backgrounds) <= 3


def test_no_other_module_imports_ipywidgets():
    importing = re.compile(r"^\s*(from|import) ipywidgets", re.MULTILINE)
    modules = Path(course_utils.__file__).parent.glob("*.py")
    found = [path.name for path in modules if importing.search(path.read_text("utf-8"))]
    assert "widgets.py" in found
    assert [name for name in found if not name.startswith("widgets")] == []
