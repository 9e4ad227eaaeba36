"""The dials of lesson 01: build a receptive field; shuffle a row for five models."""

import numpy as np

from course_utils.plots_sequences import dependence_lines
from course_utils.scenes_sequences import reach_scene, shuffle_scene
from course_utils.sequences import block_order, carry, causal_conv, lags_by_layer, reach
from course_utils.widgets import Dial, choice, next_double, slider

GROWTH = {"1, 1, 1, ... (none)": 1, "1, 2, 4, ... (doubled)": 2, "1, 3, 9, ... (tripled)": 3}
MOST_LAYERS = 5
STEPS, SHUFFLES = 24, 60
SHUFFLED_MODELS = {
    "mean (pooling)": np.mean,
    "running maximum, last value": lambda x: carry(lambda h, x_t, t: max(h, x_t), x, -np.inf)[-1],
    "weight t/300 on step t (concatenation)": lambda x: x @ np.arange(1, STEPS + 1) / 300,
    "largest rise over 3 steps (window)": lambda x: causal_conv(x, [1, 0, 0, -1])[3:].max(),
    "h = 0.8 h + x, last state (loop)": lambda x: carry(lambda h, x_t, t: 0.8 * h + x_t, x, 0.0)[-1],
}


def reach_builder(taps=3, layers=3, growth=1):
    """Stack causal convolutions and see how far the last output reaches, and what it skips.

    Parameters
    ----------
    taps : int, taps of every layer at the start, 2 to 5.
    layers : int, layers at the start, 1 to 5.
    growth : int, the factor from the dilation of a layer to the next: 1, 2 or 3.

    Returns
    -------
    Dial with the controls taps, layers and growth.
    """
    controls = {
        "taps": slider("taps k", taps, 2, 5, 1),
        "layers": slider("layers", layers, 1, MOST_LAYERS, 1),
        "growth": choice("dilations", GROWTH, growth),
    }
    scene = reach_scene(MOST_LAYERS)

    def move(taps, layers, growth):
        dilations = [growth**level for level in range(layers)]
        lines, units = dependence_lines(taps, dilations)
        read = lags_by_layer(taps, dilations)[0]
        scene["lines"].set_data(*lines)
        scene["units"].set_data(*units)
        scene["inputs"].set_data(-read, 0 * read)
        far = reach(taps, dilations)
        room = next_double(12, far)
        scene["inputs"].axes.set(xlim=(-1.02 * room, 0.03 * room))
        gaps = sum(dilations)
        holes = (
            f"It reads {len(read)} of them, the others are holes." if len(read) < far else "It reads each."
        )
        return (
            f"{layers} layer{'s' * (layers > 1)} of {taps} taps, dilations {', '.join(map(str, dilations))}: "
            f"reach 1 + {taps - 1} x {gaps} = {far} steps, {taps * layers} weights. {holes}"
        )

    return Dial(controls, scene, move)


def shuffle_dial(model="mean (pooling)", block=1):
    """Shuffle a row of 24 steps sixty times, in blocks, and see how the answers of a model scatter.

    Parameters
    ----------
    model : text, one of SHUFFLED_MODELS.
    block : int, steps that stay together in a shuffle, 1 to 12.

    Returns
    -------
    Dial with the controls model and block.
    """
    controls = {
        "model": choice("model", {name: name for name in SHUFFLED_MODELS}, model),
        "block": slider("block of steps", block, 1, 12, 1),
    }
    scene = shuffle_scene()
    row = np.random.default_rng(1).normal(size=STEPS).cumsum() / 2
    scene["row"].axes.set(xlim=(0, STEPS + 1), ylim=(row.min() - 0.3, row.max() + 0.3))

    def move(model, block):
        rng, answer = np.random.default_rng(2), SHUFFLED_MODELS[model]
        orders = [block_order(STEPS, block, rng) for _ in range(SHUFFLES)]
        answers = np.array([answer(row[order]) for order in orders])
        own = float(answer(row))
        scene["row"].set_data(np.arange(1, STEPS + 1), row)
        scene["shuffled"].set_data(np.arange(1, STEPS + 1), row[orders[0]])
        scene["answers"].set_data(np.arange(1, SHUFFLES + 1), answers)
        scene["own"].set_data([0, SHUFFLES + 1], [own, own])
        spread = next_double(1, np.abs(answers - own).max() * 1.1)
        scene["own"].axes.set(xlim=(0, SHUFFLES + 1), ylim=(own - spread, own + spread))
        moved = np.abs(answers - own).mean()
        verdict = f"{moved:.3g} on average" if moved > 1e-9 else "not at all"
        return (
            f"{model}, blocks of {block} step{'s' * (block > 1)}: the answer to the row is {own:.3g}; "
            f"{SHUFFLES} shuffles move it {verdict}."
        )

    return Dial(controls, scene, move)
