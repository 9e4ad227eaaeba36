"""All dials of the course, on small data where they need some; what the tests do with a dial."""

import base64
import re

import numpy as np
import torch

from course_utils import (
    widgets,
    widgets_adaptive,
    widgets_bptt,
    widgets_classifier,
    widgets_conditioning,
    widgets_gated,
    widgets_horizon,
    widgets_language,
    widgets_modes,
    widgets_rnn,
    widgets_seq2seq,
    widgets_sequences,
)
from course_utils.bpe import encode_texts, train_bpe
from course_utils.classifier import Classifier
from course_utils.filters import one_pole
from course_utils.gated import lstm_trace
from course_utils.language import LanguageModel
from course_utils.ngrams import count_followers
from course_utils.seq2seq import Seq2Seq
from course_utils.tokens import MARKS, Vocabulary

WINDOWS = [1, 5, 10, 20, 21, 40, 120]
COSINES = {
    lag: {"W_xh": [float(k > lag) for k in WINDOWS], "W_hh": [0.3 + k / 200 for k in WINDOWS]}
    for lag in (5, 20)
}
SENTENCES = ["the keys to the door", "the door often now often"]


def png(dial):
    return base64.b64decode(re.search(r'base64,([^"]+)"', dial.picture.value)[1])


def size(dial):
    """The width and the height that the page gives the picture."""
    return re.search(r'width="\d+" height="\d+"', dial.picture.value)[0]


def set_to(dial, **values):
    for name, value in values.items():
        dial.controls[name].value = value
    return dial.alt


def corners(control):
    """The least, the middle and the greatest value of a slider; every option of a list."""
    if hasattr(control, "options"):
        return [value for _, value in control.options]
    return [control.min, type(control.value)((control.min + control.max) / 2), control.max]


def pole_walk():
    """The walk of lesson 04, on data of its size."""
    x = np.random.default_rng(4).normal(size=300)
    return widgets_adaptive.pole_walk(x, one_pole(x, 0.9, 0.5), bottom=(0.9, 0.5))


def truncation_dial(windows=WINDOWS, cosines=COSINES, window=20):
    """The windows of lesson 06, with made-up cosines."""
    return widgets_bptt.truncation_dial(windows, cosines, T=120, window=window)


def recorded(T, first):
    """A made-up record of two seeds."""
    rows = {"losses": [[2.0, 1.0, 0.5]] * 2, "last": [[0.5, 0.4, 0.2]] * 2}
    rows["accuracies"] = [[0.1, 0.5, 1.0], [0.1, 0.2, 0.1]]
    rows["first"] = [[first, 0.4 * 1.1 ** (T - 1), 0.1], [0.0, 1e-20, 1 / T**3]]
    return {"T": T, "seeds": [0, 1], "at": [0, 50, 99], "accuracy": [1.0, 0.125], **rows}


RUNS = [recorded(20, 1e-6), recorded(5, 0.03)]


def recall_browser(runs=RUNS):
    """The runs of lesson 07, made up."""
    return widgets_horizon.recall_browser(runs)


def random_trace(B=2, T=5, d=3, H=4):
    """An untrained LSTM at work."""
    rng = torch.Generator().manual_seed(2)
    shapes = (B, T, d), (4 * H, d), (4 * H, H), (4 * H,)
    return lstm_trace(*(torch.randn(*shape, generator=rng) for shape in shapes))


def trace_viewer(trace=None, sentences=SENTENCES, unit=1):
    """The viewer of lesson 09, on an untrained unit."""
    return widgets_gated.trace_viewer(trace or random_trace(), sentences, unit=unit)


SUMMARIES = [
    "return the sum of the rows and the product of the columns of a matrix",
    "compute the product of the rows, or the sum of all columns of the matrix",
    "a class for the sum of two or more products that are not computed yet",
]


def small_model():
    """An encoder of a few pieces, and an untrained model of them that is not quite without a view."""
    encoder = train_bpe(SUMMARIES, 60)
    torch.manual_seed(5)
    model = LanguageModel(encoder.get_vocab_size(), E=8, H=12)
    torch.nn.init.normal_(model.output.weight)
    return model, encoder


def sampler(prompts=("Return the", "Compute"), **start):
    """The sampler of lesson 11, on an untrained model."""
    return widgets_language.sampler(*small_model(), list(prompts), **start)


def prefix_dial(texts=SUMMARIES, **start):
    """The cut prefix of lesson 11, on an untrained model and three texts."""
    model, encoder = small_model()
    tables = count_followers(encode_texts(encoder, SUMMARIES), order=4)
    return widgets_language.prefix_dial(model, tables, encoder, list(texts), **start)


CLASSES = ["torch", "sympy", "matplotlib", "sqlalchemy"]
TEXTS = ["return the series of the tensor", "draw the axes"]


def small_vocabulary():
    """The words of the first text and one of the second."""
    return Vocabulary([[*TEXTS[0].split(), "draw"]])


def classifiers():
    """Two untrained models with large weights, so that every word counts."""
    torch.manual_seed(10)
    models = {
        name: Classifier(name, len(small_vocabulary()), 4).requires_grad_(False) for name in ("GRU", "bag")
    }
    for model in models.values():
        model.scores.weight *= 20
    return models


def reading_dial():
    """The reader of lesson 10."""
    return widgets_classifier.reading_dial(classifiers(), small_vocabulary(), CLASSES, TEXTS)


def pads_dial():
    """The pads of lesson 10."""
    return widgets_classifier.pads_dial(classifiers()["GRU"], small_vocabulary(), CLASSES, TEXTS)


DIGITS = Vocabulary([list("0123456789")], first=MARKS)


def read_digits(number):
    """Numbers for the dials of lesson 12, read digit by digit."""
    return f"digits {number}", DIGITS.encode(str(number))


def untrained(H=6):
    """An untrained encoder and decoder over digits."""
    return Seq2Seq(len(DIGITS), len(DIGITS), H, E=5, seed=3)


def translation_dial(model=None, read=read_digits, vocabulary=DIGITS, **start):
    """The translation of lesson 12, by a model that knows nothing."""
    return widgets_seq2seq.translation_dial(model or untrained(), read, vocabulary, **start)


def state_dial(model=None, read=read_digits, vocabulary=DIGITS, **start):
    """The state of lesson 12, of a model that knows nothing."""
    return widgets_seq2seq.state_dial(model or untrained(), read, vocabulary, **start)


DIALS = {
    make.__name__: make
    for make in (
        widgets.pole_dial,
        widgets.fir_match,
        widgets_sequences.reach_builder,
        widgets_sequences.shuffle_dial,
        widgets_modes.mode_dial,
        widgets_modes.axes_dial,
        widgets_adaptive.step_dial,
        pole_walk,
        widgets_rnn.cell_dial,
        widgets_rnn.padding_dial,
        widgets_bptt.unroll_player,
        truncation_dial,
        widgets_horizon.horizon_dial,
        recall_browser,
        widgets_conditioning.clip_dial,
        widgets_conditioning.spectrum_dial,
        widgets_gated.gate_dial,
        trace_viewer,
        sampler,
        prefix_dial,
        reading_dial,
        pads_dial,
        translation_dial,
        state_dial,
    )
}
