"""The dials of lesson 08 say and draw their numbers."""

import math
import re

import numpy as np
import pytest
import torch
from dials import set_to

from course_utils import conditioning, widgets_conditioning


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"direction": 0}, "by value it is 1 long and turned by 0 degrees; by length it is 1 long"),
        ({"direction": 45}, "by value it is 1.41 long and turned by 0 degrees"),
        ({"direction": 20}, "by value it is 1.41 long and turned by 25 degrees; by length it is 1 long"),
        ({"direction": 20, "limit": 3.0}, "by value it is 3 long and turned by 0 degrees; by length it is 3"),
        ({"length": 0.1}, "by length it is 0.1 long and not turned"),
    ],
)
def test_the_clip_dial_says_its_numbers(values, words):
    assert words in set_to(widgets_conditioning.clip_dial(), **values)


def test_the_arrow_clipped_by_length_stays_on_its_line_and_inside_the_ball():
    scene = widgets_conditioning.clip_dial(length=3.0, direction=250, limit=0.8).scene
    before, after = (scene[name].get_xydata()[1] for name in ("before", "by length"))
    np.testing.assert_allclose(after, 0.8 * before / np.linalg.norm(before), rtol=1e-5)
    assert scene["ball"].get_radius() == 0.8


def test_the_arrow_clipped_by_value_ends_in_the_box():
    scene = widgets_conditioning.clip_dial(length=3.0, direction=250, limit=0.8).scene
    expected = np.clip(3 * np.array([math.cos(math.radians(250)), math.sin(math.radians(250))]), -0.8, 0.8)
    np.testing.assert_allclose(scene["by value"].get_xydata()[1], expected)
    assert scene["box"].get_bbox().bounds == pytest.approx((-0.8, -0.8, 1.6, 1.6))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"start": "orthogonal"}, "spectral radius 1, singular values 1 to 1, "),
        ({"start": "identity", "scale": 2.0}, "spectral radius 1.9, singular values 1.9 to 1.9, 0.9 off"),
        ({"start": "orthogonal", "scale": 1.5}, "steps."),
        ({"start": "orthogonal", "scale": 1.7}, "it grows."),
        ({"start": "Gaussian", "scale": 1.7}, "it grows."),
    ],
)
def test_the_spectrum_dial_says_its_numbers(values, words):
    assert words in set_to(widgets_conditioning.spectrum_dial(), **values)


def test_the_identity_latches_at_twice_its_size():
    words = set_to(widgets_conditioning.spectrum_dial(), start="identity", scale=2.0)
    assert float(re.search(r"gradient by ([\d.]+)", words)[1]) == pytest.approx(0.33, abs=0.05)


def test_the_spectra_are_those_of_the_scaled_start():
    scene = widgets_conditioning.spectrum_dial(start="Gaussian", scale=1.5).scene
    W = 1.5 * conditioning.starts(64, torch.Generator().manual_seed(0))["Gaussian"]
    np.testing.assert_allclose(scene["singular values"].get_ydata(), torch.linalg.svdvals(W).numpy())
    sizes = np.linalg.norm(scene["eigenvalues"].get_xydata(), axis=1)
    np.testing.assert_allclose(np.sort(sizes), np.sort(torch.linalg.eigvals(W).abs().numpy()))


def test_layernorm_changes_the_gradient_and_leaves_the_spectra():
    dial = widgets_conditioning.spectrum_dial()
    values, gradient = (dial.scene[name].get_ydata().copy() for name in ("singular values", "gradient"))
    set_to(dial, unit="with LayerNorm")
    np.testing.assert_array_equal(dial.scene["singular values"].get_ydata(), values)
    assert not np.allclose(dial.scene["gradient"].get_ydata(), gradient)


@pytest.mark.parametrize("scale", [0.2, 3.0])
def test_what_is_drawn_stays_inside_its_panel(scale):
    scene = widgets_conditioning.spectrum_dial(scale=scale).scene
    for name in ("eigenvalues", "singular values"):
        (left, right), (low, high) = scene[name].axes.get_xlim(), scene[name].axes.get_ylim()
        across, up = scene[name].get_xydata().T
        assert left <= across.min() <= across.max() <= right
        assert low <= up.min() <= up.max() <= high
