"""Pictures for the dials of lesson 07: a gradient carried back with its slopes; one recorded training."""

import matplotlib
from matplotlib.figure import Figure

from course_utils.drawing import GUIDE, MODELS, OUTPUT, STATE, WEIGHT
from course_utils.publishing import STYLE
from course_utils.scenes import laid_out


def horizon_scene(lags):
    """Two panels: lengths of a gradient against the lag, and the slopes of the units in order of size.

    Parameters
    ----------
    lags : int, how many lags are drawn.

    Returns
    -------
    Scene with the artists bound, formula, run 1, run 2, run 3, slopes and typical.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.2))
        back, slopes = figure.subplots(1, 2)
        back.set(title="gradient carried back", xlabel="lag (steps back)", ylabel="length")
        back.set(xlim=(0, lags), yscale="log", ylim=(1e-48, 1e48), yticks=[1e-48, 1, 1e48])
        back.axhline(1e-6, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)))
        back.text(lags, 1e-6, "1e-6", ha="right", va="bottom", color=GUIDE, fontsize=9)
        slopes.set(title="slopes of all units and steps", xlabel="share of them", ylabel="slope at most")
        slopes.set(xlim=(0, 1), ylim=(0, 1.05))
        run = {"color": STATE, "linewidth": 0.9}
        moving = {
            "bound": back.plot([], [], color=WEIGHT, linestyle="--", label="bound")[0],
            "formula": back.plot([], [], color=OUTPUT, linestyle=":", label="typical factor")[0],
            "run 1": back.plot([], [], label="three seeds", **run)[0],
            "run 2": back.plot([], [], **run)[0],
            "run 3": back.plot([], [], **run)[0],
            "slopes": slopes.plot([], [], color=STATE)[0],
            "typical": slopes.plot([], [], color=OUTPUT, linestyle=":")[0],
        }
        back.legend(loc="lower left", fontsize=8)  # a line from (0, 1) never comes there
        return laid_out(figure, moving)


def recall_scene(updates):
    """Two panels: accuracy of one recorded run, and the gradient at its first and last state.

    Parameters
    ----------
    updates : int, the last update.

    Returns
    -------
    Scene with the artists accuracy, first and last.
    """
    colour, marker, _ = MODELS["RNN"]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8, 3.2))
        right, gradient = figure.subplots(1, 2)
        right.set(title="right answers", xlabel="updates", ylabel="share of the batch")
        right.set(xlim=(0, updates), ylim=(0, 1.05))
        right.axhline(1 / 8, color=GUIDE, linewidth=1, linestyle=(0, (2, 2)))
        right.text(updates, 1 / 8, "chance", ha="right", va="bottom", color=GUIDE, fontsize=9)
        gradient.set(title="gradient of the loss", xlabel="updates", ylabel="length")
        gradient.set(xlim=(0, updates), yscale="log", ylim=(1e-14, 1e4), yticks=[1e-12, 1e-8, 1e-4, 1])
        moving = {
            "accuracy": right.plot([], [], color=colour, marker=marker, markersize=3)[0],
            "last": gradient.plot([], [], color=OUTPUT, linestyle="--", label="at $h_T$")[0],
            "first": gradient.plot([], [], color=STATE, label="at $h_1$")[0],
        }
        gradient.legend(loc="upper right", fontsize=8, ncols=2)  # the axis leaves room above both curves
        return laid_out(figure, moving)
