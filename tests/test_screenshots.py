"""The tools that run lessons in a browser: what their command lines take, and the picture of the README."""

import io

import pytest
import redraws
import screenshots
from PIL import Image


@pytest.mark.parametrize("tool", [screenshots, redraws])
def test_a_lesson_that_is_none_is_said_before_anything_runs(tool, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", [tool.__name__, "02_two_poles"])
    with pytest.raises(SystemExit, match="2"):
        tool.main()
    assert "no lesson 02_two_poles; the lessons are 00_start, 01_sequences" in capsys.readouterr().err


def test_pictures_stand_side_by_side_at_the_top():
    pair = [Image.new("RGB", (3, 4), "red"), Image.new("RGB", (5, 2), "blue")]
    made = Image.open(io.BytesIO(screenshots.side_by_side(pair))).convert("RGB")
    assert made.size == (8, 4)
    assert made.getpixel((2, 3)) == (255, 0, 0)
    assert made.getpixel((7, 1)) == (0, 0, 255)


def test_the_picture_of_the_readme_is_small():
    assert screenshots.README_PICTURE.stat().st_size < 150_000
