"""What holds for every dial of the course; ``dials.DIALS`` lists them."""

import ast
import html
import itertools
from pathlib import Path

import pytest
from dials import DIALS, corners, png, set_to, size

import course_utils
from course_utils.widgets import LONGEST

every_dial = pytest.mark.parametrize("make", DIALS.values(), ids=DIALS)

# Where a dial is set first, so that each control alone has something to change: moves of the player that
# compute no gradient say nothing of the losses; a walk in small steps needs no guard.
FIRST = {"unroll_player": {"move": 5}, "pole_walk": {"mu": 0.2}}

# By place and end, the controls that change nothing on a walk: one layer has no growth; see also above.
UNMOVED = {
    # with one token left to draw a smaller nucleus cuts nothing, and all draws are one text
    "sampler": {("start", "first"): ["mass"], ("middle", "first"): ["k", "mass", "draw"]},
    "reach_builder": {("middle", "first"): ["growth"]},
    "pole_walk": {("middle", "first"): ["guard"]},
    "unroll_player": {
        ("start", "first"): ["input"],
        ("start", "last"): ["input"],
        ("middle", "first"): ["losses", "input"],
        ("middle", "last"): ["input"],
    },
}


def places(dial):
    """Values of all controls: as the dial is built, and in the middle of each."""
    start = {name: control.value for name, control in dial.controls.items()}
    return {"start": start, "middle": {name: corners(dial.controls[name])[1] for name in start}}


def unmoved(dial, end):
    """Controls that change no picture or no words when all go to one end, one after the other."""
    found = []
    for name, control in dial.controls.items():
        start, picture, words = control.value, png(dial), dial.alt
        control.value = corners(control)[end]
        if control.value != start and (png(dial) == picture or dial.alt == words):
            found.append(name)
    return found


def makers(path):
    """The public functions of a module that make a dial."""
    text = path.read_text(encoding="utf-8")
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {
        node.name
        for node in functions
        if not node.name.startswith("_") and "Dial" in ast.get_source_segment(text, node)
    }


def test_every_dial_of_the_library_is_listed():
    modules = Path(course_utils.__file__).parent.glob("widgets*.py")
    assert set().union(*map(makers, modules)) == set(DIALS)


@every_dial
def test_every_combination_of_corners_draws_and_says_numbers(make):
    dial = make()
    for values in itertools.product(*map(corners, dial.controls.values())):
        words = set_to(dial, **dict(zip(dial.controls, values, strict=True)))
        assert png(dial).startswith(b"\x89PNG")
        assert f'alt="{html.escape(words)}"' in dial.picture.value
        assert "nan" not in words
        assert len(words) <= LONGEST


@pytest.mark.parametrize("name", DIALS)
def test_every_control_alone_changes_the_picture_and_the_words_at_every_corner(name):
    dial = DIALS[name]()
    set_to(dial, **FIRST.get(name, {}))
    picture, words = png(dial), dial.alt
    for moved, control in dial.controls.items():
        start = control.value
        for value in {*corners(control)} - {start}:
            assert set_to(dial, **{moved: value}) != words
            assert png(dial) != picture
        control.value = start


@pytest.mark.parametrize("name", DIALS)
def test_every_control_changes_the_picture_and_the_words_wherever_the_others_stand(name):
    dial = DIALS[name]()
    found = {}
    for (place, values), (end, at) in itertools.product(places(dial).items(), [("first", 0), ("last", -1)]):
        set_to(dial, **values)
        found[place, end] = unmoved(dial, at)
    assert {walk: names for walk, names in found.items() if names} == UNMOVED.get(name, {})


@every_dial
def test_coming_back_gives_the_same_picture_of_the_same_size(make):
    dial = make()
    before, before_size = dial.picture.value, size(dial)
    for name, control in dial.controls.items():
        start = control.value
        for value in corners(control):
            set_to(dial, **{name: value})
            assert size(dial) == before_size
            set_to(dial, **{name: start})
            assert dial.picture.value == before


@every_dial
def test_every_control_has_a_description_and_the_picture_its_words(make):
    dial = make()
    assert all(control.description for control in dial.controls.values())
    assert f'alt="{html.escape(dial.alt)}"' in dial.picture.value
