"""Sound for the echo canceller of lesson 04: synthetic voices, a room, and a player for a page.

A voice is a row of pulses and some breath, driven through three resonances: each is a pair of complex poles,
a mode of lesson 03. Nothing is recorded, so nothing has to be downloaded.
"""

import html
import math

import numpy as np

RATE = 8000
"""Samples a second, as in a telephone."""

VOWELS = ((730, 1090, 2440), (270, 2290, 3010), (300, 870, 2240), (530, 1840, 2480), (570, 840, 2410))
"""Resonances of five vowels in hertz, rounded averages (Peterson and Barney, 1952)."""


def resonate(x, hertz, width):
    """Drive a row through one pair of complex poles, r e^(+-i omega).

    y_t = 2 r cos(omega) y_(t-1) - r^2 y_(t-2) + (1 - r) x_t

    Parameters
    ----------
    x : (T,) array, the input.
    hertz : float, where it resonates; omega = 2 pi hertz / RATE.
    width : float, how broad the resonance is in hertz; r = e^(-pi width / RATE).

    Returns
    -------
    (T,) float64 array.

    >>> resonate([1, 0, 0], hertz=2000, width=80).round(4)
    array([ 0.0309,  0.    , -0.029 ])
    """
    r = math.exp(-math.pi * width / RATE)
    a, b = 2 * r * math.cos(2 * math.pi * hertz / RATE), -r * r
    y, before, out = 0.0, 0.0, np.empty(len(x))
    for t, x_t in enumerate(np.asarray(x, dtype=float).tolist()):
        y, before = a * y + b * before + (1 - r) * x_t, y
        out[t] = y
    return out


def voice(seconds, pitch, rng, syllable=0.25):
    """A synthetic voice: a vowel every quarter of a second, each louder and softer again.

    Parameters
    ----------
    seconds : float, how long.
    pitch : float, pulses a second, about 110 for a low voice and 200 for a high one.
    rng : NumPy Generator.
    syllable : float, seconds of one vowel.

    Returns
    -------
    (seconds * RATE,) float64 array, between -1 and 1 but for rare peaks.
    """
    N = round(syllable * RATE)
    spoken = []
    for _ in range(math.ceil(seconds / syllable)):
        hertz = pitch * rng.uniform(0.85, 1.15) * np.linspace(1, 0.9, N)  # the voice falls a little
        pulses = np.diff(np.floor(np.cumsum(hertz) / RATE), prepend=0.0)
        sound = pulses + 0.03 * rng.normal(size=N)
        for formant, width in zip(VOWELS[rng.integers(len(VOWELS))], (80, 120, 160), strict=True):
            sound = resonate(sound, formant, width)
        loudness = rng.uniform(0.5, 1) * np.sin(np.pi * np.linspace(0, 1, N)) ** 0.7
        spoken.append(0.2 * sound / sound.std() * loudness)
    return np.concatenate(spoken)[: round(seconds * RATE)]


def room(k, rng, delay=16, horizon=40.0, loudness=0.7):
    """The way from loudspeaker to microphone as k taps: a pause, then reflections that die away.

    Parameters
    ----------
    k : int, how many taps.
    rng : NumPy Generator.
    delay : int, samples before the first reflection.
    horizon : float, samples in which reflections fall to 1/e.
    loudness : float, the root of the sum of the squared taps.

    Returns
    -------
    (k,) float64 array.
    """
    taps = rng.normal(size=k) * np.exp(-np.arange(k) / horizon)
    taps[:delay] = 0
    return loudness * taps / np.linalg.norm(taps)


def decibels_left(before, after, length):
    """How much of a sound is left, stretch by stretch: 10 log10 of the ratio of powers.

    Parameters
    ----------
    before, after : (T,) arrays.
    length : int, samples in a stretch; a rest is left out.

    Returns
    -------
    (T // length,) float64 array, in decibels: -20 is a tenth of the size.

    >>> decibels_left([1, 1, 1, 1], [1, 1, 0.1, 0.1], length=2).round(6) + 0.0
    array([  0., -20.])
    """
    rows = len(before) // length
    powers = [
        np.mean(np.reshape(row[: rows * length], (rows, length)) ** 2, axis=1)
        for row in map(np.asarray, (before, after))
    ]
    return 10 * np.log10(powers[1] / powers[0])


def play(sound, title):
    """Put a player on the page, and a text that says what is heard.

    Parameters
    ----------
    sound : (T,) array, RATE samples a second; 1 is full loudness.
    title : text, what one hears.
    """
    from IPython.display import display

    display(player(sound, title), raw=True)


def player(sound, title):
    """The forms of a sound for a notebook: an HTML player with its title, and plain text.

    Returns
    -------
    dict from MIME type to content.

    Raises
    ------
    ValueError : when the title is empty.
    """
    from IPython.display import Audio

    if not title.strip():
        raise ValueError("the title is empty; say in a few words what one hears")
    sound = np.asarray(sound, dtype=float)
    source = Audio(np.clip(sound, -1, 1), rate=RATE, normalize=False).src_attr()
    loud = np.sqrt(np.mean(sound**2))
    words = f"{title} [sound: {len(sound) / RATE:.3g} seconds, mean size {loud:.3g}]"
    label = html.escape(words)
    page = f'<figure><audio controls aria-label="{label}" src="{source}"></audio>'
    return {"text/html": f"{page}<figcaption>{label}</figcaption></figure>", "text/plain": words}
