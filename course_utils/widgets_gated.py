"""The dials of lesson 09: a cell behind its gates, and the gates of a trained unit word by word."""

import numpy as np
import torch

from course_utils.filters import horizon
from course_utils.gated import gated_line
from course_utils.scenes_gated import gate_scene, trace_scene
from course_utils.widgets import Dial, choice, next_double, slider

STEPS = 100


def gate_dial(bias=1.0, write=0.0):
    """Set the bias of a forget gate and how far the write gate stays open; see what is left of a 1.

    Parameters
    ----------
    bias : float, of the forget gate at the start, -2 to 8.
    write : float, the write gate at the start, 0 to 1.

    Returns
    -------
    Dial with the controls bias and write.
    """
    controls = {
        "bias": slider("forget bias", bias, -2.0, 8.0, 0.1),
        "write": slider("write gate i", write, 0.0, 1.0, 0.01),
    }
    scene = gate_scene(STEPS)
    noise = torch.tensor(np.random.default_rng(9).uniform(-1, 1, STEPS))

    def move(bias, write):
        f = torch.sigmoid(torch.tensor(bias, dtype=torch.float64)).item()
        left = f ** np.arange(STEPS + 1)
        cell = np.array([1.0, *gated_line(noise, f, write, start=1.0).tolist()])
        scene["cell"].set_data(np.arange(STEPS + 1), cell)
        scene["kept"].set_data(np.arange(STEPS + 1), left)
        scene["line"].set_data(np.arange(STEPS + 1), left)
        drowned = cell[-1] - left[-1] if write else 0.0  # without rounding noise
        reach = next_double(2, 1.2 * np.abs(cell).max())
        scene["cell"].axes.set(ylim=(-reach, reach))
        return (
            f"Forget bias {bias:.1f}: f = {f:.4g}, horizon {horizon(f):.4g} steps; across {STEPS} steps "
            f"{left[-1]:.3g} of the 1 is left. Write gate {write:.2f}: the cell ends at {cell[-1]:.3g}, "
            f"and noise makes {drowned:.3g} of it."
        )

    return Dial(controls, scene, move)


def trace_viewer(trace, sentences, unit=0):
    """Read a trained unit word by word: its gates, its candidate, its cell and its state.

    Parameters
    ----------
    trace : ``gated.Trace`` of the sentences, each part (B, T, H).
    sentences : list of B texts of T words.
    unit : int, the unit at the start, from 0.

    Returns
    -------
    Dial with the controls sentence and unit; units count from 1 there.
    """
    _, T, H = trace.c.shape
    controls = {
        "sentence": choice("sentence", {text: place for place, text in enumerate(sentences)}, 0),
        "unit": slider("unit", unit + 1, 1, H, 1),
    }
    scene = trace_scene(T)
    parts = {name: part.detach().numpy() for name, part in trace._asdict().items()}
    words = [text.split() for text in sentences]

    def move(sentence, unit):
        seen = {name: part[sentence, :, unit - 1] for name, part in parts.items()}
        for name, row in seen.items():
            scene[name].set_data(np.arange(T), row)
        for place, word in enumerate(words[sentence], start=1):
            scene[f"word {place}"].set_text(word)
            scene[f"word {place} again"].set_text(word)
        reach = next_double(1, 1.1 * np.abs(seen["c"]).max())
        scene["c"].axes.set(ylim=(-reach, reach))
        through = seen["f"][1:].prod()
        return (
            f'Unit {unit}, "{sentences[sentence]}": the cell ends at {seen["c"][-1]:.3g}, the state at '
            f"{seen['h'][-1]:.3g}. After the first word the forget gates multiply to {through:.3g}; the "
            f"write gate is {seen['i'][2:].mean():.2f} on average from the third word on."
        )

    return Dial(controls, scene, move)
