"""The sounds of lesson 04: resonances against SciPy, voices and rooms in bounds, a player with its words."""

import base64
import doctest
import io
import re
import wave

import numpy as np
import pytest
from scipy import signal

from course_utils import voices


@pytest.mark.parametrize(("hertz", "width"), [(730, 80), (2000, 300), (0, 50), (4000, 50)])
def test_a_resonance_is_a_pair_of_complex_poles(hertz, width):
    r, omega = np.exp(-np.pi * width / 8000), 2 * np.pi * hertz / 8000
    x = np.random.default_rng(1).normal(size=10_000)
    b, a = signal.zpk2tf([], r * np.exp([1j * omega, -1j * omega]), 1 - r)
    np.testing.assert_allclose(
        voices.resonate(x, hertz, width), signal.lfilter(b, a, x), rtol=1e-7, atol=1e-8
    )


def test_a_voice_has_its_length_its_pitch_and_stays_in_bounds():
    sound = voices.voice(2, 110, np.random.default_rng(2))
    assert sound.shape == (2 * voices.RATE,)
    assert 0.5 < np.abs(sound).max() < 1
    syllable = sound[: voices.RATE // 4]
    similar = np.correlate(syllable, syllable, mode="full")[len(syllable) - 1 :]
    period = 50 + similar[50:120].argmax()
    assert 110 * 0.75 < voices.RATE / period < 110 * 1.2


def test_the_same_generator_gives_the_same_voice():
    first, second = (voices.voice(0.5, 200, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(first, second)


def test_a_room_is_silent_first_and_as_loud_as_told():
    taps = voices.room(128, np.random.default_rng(4), delay=16, loudness=0.7)
    assert np.all(taps[:16] == 0)
    assert np.linalg.norm(taps) == pytest.approx(0.7)
    assert np.abs(taps[100:]).max() < 0.3 * np.abs(taps[16:40]).max()


def test_decibels_of_a_tenth_are_minus_twenty_in_every_stretch():
    sound = np.random.default_rng(5).normal(size=105)
    np.testing.assert_allclose(voices.decibels_left(sound, sound / 10, 25), [-20] * 4)


def decoded(page):
    """The samples of the sound in a page, between -1 and 1."""
    data = base64.b64decode(re.search(r'base64,([^"]+)"', page)[1])
    with wave.open(io.BytesIO(data)) as sound:
        assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (voices.RATE, 1, 2)
        return np.frombuffer(sound.readframes(sound.getnframes()), dtype="<i2") / 32767


def test_a_player_holds_the_samples_as_they_are():
    sound = 0.5 * np.sin(np.arange(800) / 5)
    np.testing.assert_allclose(decoded(voices.player(sound, "A tone.")["text/html"]), sound, atol=1e-4)


def test_what_is_too_loud_is_cut_and_does_not_wrap_around():
    assert decoded(voices.player([3.0, -3.0], "A click.")["text/html"]).round(3).tolist() == [1, -1]


def test_a_player_says_what_is_heard():
    data = voices.player(np.full(4000, 0.25), 'A "tone".')
    assert data["text/plain"] == 'A "tone". [sound: 0.5 seconds, mean size 0.25]'
    assert 'aria-label="A &quot;tone&quot;. [sound: 0.5 seconds' in data["text/html"]
    assert "<figcaption>A &quot;tone&quot;." in data["text/html"]


def test_play_publishes_exactly_one_output(monkeypatch):
    published = []
    monkeypatch.setattr("IPython.display.display", lambda data, **kwargs: published.append((data, kwargs)))
    voices.play(np.zeros(8), "Silence.")
    assert [(sorted(data), kwargs) for data, kwargs in published] == [
        (["text/html", "text/plain"], {"raw": True})
    ]


def test_a_sound_without_a_title_is_refused():
    with pytest.raises(ValueError, match="title is empty"):
        voices.player([0.0], " ")


def test_docstring_examples_run():
    result = doctest.testmod(voices)
    assert result.attempted > 0
    assert result.failed == 0
