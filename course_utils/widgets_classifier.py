"""The dials of lesson 10: a document read word by word, and read behind more and more pads."""

import numpy as np

from course_utils.classifier import after_each_word, behind_pads
from course_utils.scenes_classifier import pads_scene, reading_scene
from course_utils.tokens import tokens
from course_utils.widgets import Dial, choice, slider

ORDERS = ("as written", "backwards", "sorted by letter")
MOST = 60


def reading_dial(models, vocabulary, classes, texts):
    """Let models read documents: the probability of each class after the first word, the first two, ...

    Parameters
    ----------
    models : dict from a name to a ``classifier.Classifier``.
    vocabulary : ``tokens.Vocabulary`` of the models.
    classes : list of K texts.
    texts : list of documents.

    Returns
    -------
    Dial with the controls text, model and order.
    """
    controls = {
        "text": choice("document", {text: place for place, text in enumerate(texts)}, 0),
        "model": choice("model", {name: name for name in models}, next(iter(models))),
        "order": choice("words", {name: name for name in ORDERS}, ORDERS[0]),
    }
    controls["text"].layout.width = "52em"
    scene = reading_scene(classes, max(len(tokens(text)) for text in texts))

    def move(text, model, order):
        words = in_order(tokens(texts[text]), order)
        row = vocabulary.encode(words)
        shares = after_each_word(models[model], row).numpy()  # (T, K)
        for name, column in zip(classes, shares.T, strict=True):
            scene[name].set_data(np.arange(len(words)), column)
        for name, artist in scene.moving.items():
            if name.startswith("word"):
                artist.set_text("")
        for place, (word, number) in enumerate(zip(words, row, strict=True), start=1):
            scene[f"word {place}"].set_text(word if vocabulary.words[number] == word else f"({word})")
        final = ", ".join(f"{name} {share:.2f}" for name, share in zip(classes, shares[-1], strict=True))
        jump = np.abs(np.diff(shares, axis=0)).max(axis=1).argmax() + 1 if len(words) > 1 else 0
        return (
            f'{model}, words {order}, "{" ".join(words)}": in the end {final}. The largest change comes '
            f'with word {jump + 1}, "{words[jump]}".'
        )

    return Dial(controls, scene, move)


def in_order(words, order):
    """Words in one of ``ORDERS``."""
    return {"as written": words, "backwards": words[::-1]}.get(order, sorted(words))


def pads_dial(model, vocabulary, classes, texts, pads=0):
    """Put pads behind a document and read the state at the end of the row.

    Parameters
    ----------
    model : a ``classifier.Classifier`` with a recurrent unit.
    vocabulary, classes, texts : as for ``reading_dial``.
    pads : int, at the start, 0 to 60.

    Returns
    -------
    Dial with the controls text and pads.
    """
    controls = {
        "text": choice("document", {text: place for place, text in enumerate(texts)}, 0),
        "pads": slider("pads", pads, 0, MOST, 1),
    }
    controls["text"].layout.width = "52em"
    scene = pads_scene(classes, MOST)
    rows = [vocabulary.encode(tokens(text)) for text in texts]
    shares = [behind_pads(model, row, MOST).numpy() for row in rows]  # (MOST + 1, K) each

    def move(text, pads):
        for name, column in zip(classes, shares[text].T, strict=True):
            scene[name].set_data(np.arange(MOST + 1), column)
        scene["pads"].set_xdata([pads, pads])
        own, seen = shares[text][0], shares[text][pads]
        turned = np.flatnonzero(shares[text].argmax(axis=1) != own.argmax())
        fate = f"first overtaken behind {turned[0]} pads" if turned.size else "ahead behind any number to 60"
        return (
            f'"{texts[text]}": at its own end {classes[own.argmax()]} {own.max():.2f}; read behind {pads} '
            f"pads {classes[seen.argmax()]} {seen.max():.2f}. {classes[own.argmax()]} is {fate}."
        )

    return Dial(controls, scene, move)
