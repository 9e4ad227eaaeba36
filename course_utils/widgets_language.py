"""The dials of lesson 11: drawing from a language model, and reading only the end of a prefix."""

import textwrap

import torch

from course_utils.bpe import decode_text
from course_utils.ngrams import distribution
from course_utils.sampling import BEGIN, go_on, nucleus, tempered, top_k
from course_utils.scenes_language import prefix_scene, sampler_scene
from course_utils.widgets import Dial, choice, next_double, slider

SHOWN = 10
TOP = (1, 5, 20, 200)
LONGEST = 40
"""Tokens that are drawn."""


def sampler(model, encoder, prompts, temperature=1.0, k=None, mass=1.0):
    """Draw a text: the temperature, how many of the likeliest tokens stay, and how much mass.

    Parameters
    ----------
    model : LanguageModel of the encoder's pieces.
    encoder : of ``bpe.train_bpe``.
    prompts : list of texts, beginnings to choose from.
    temperature, k, mass : at the start: 0.1 to 2, one of ``TOP`` or None for all, 0.05 to 1.

    Returns
    -------
    Dial with the controls prompt, temperature, k, mass and draw, which of the texts of a setting is shown.
    """
    V = encoder.get_vocab_size()
    tops = {str(count): count for count in TOP if count < V} | {"all": V}
    controls = {
        "prompt": choice("beginning", {text: place for place, text in enumerate(prompts)}, 0),
        "temperature": slider("temperature", temperature, 0.1, 2.0, 0.05),
        "k": choice("top k", tops, k or V),
        "mass": slider("nucleus", mass, 0.05, 1.0, 0.05),
        "draw": slider("draw", 1, 1, 20, 1),
    }
    scene = sampler_scene(SHOWN)
    starts = [[BEGIN, *encoder.encode(text).ids] for text in prompts]

    def move(prompt, temperature, k, mass, draw):
        generator = torch.Generator().manual_seed(draw)

        def shares(scores):
            return nucleus(top_k(tempered(scores, temperature), k), mass)

        def choose(scores):
            return torch.multinomial(shares(scores), 1, generator=generator)

        with torch.no_grad():
            scores = model.eval()(torch.tensor([starts[prompt]]))[0][0, -1]
        whole, kept = torch.softmax(scores, dim=0), shares(scores)
        _set_bars(scene, encoder, whole, {"model": whole, "drawn": kept})
        text = decode_text(encoder, go_on(model, starts[prompt], LONGEST, choose))
        scene["text"].set_text(textwrap.fill(text, 110))
        left = int((kept > 0).sum())
        return (
            f"Temperature {temperature:.2f}, top {k}, nucleus {mass:.2f}: {left} of {len(whole)} tokens can "
            f"come next, and they held {float(whole[kept > 0].sum()):.2f} of the model's mass; the likeliest "
            f"is drawn with {float(kept.max()):.2f}, not {float(whole.max()):.2f}. Draw {draw}: {text}"
        )

    return Dial(controls, scene, move)


def prefix_dial(model, tables, encoder, texts, kept=4, discount=0.75):
    """Read only the last tokens of a text: what a recurrent model and what counts expect next.

    Parameters
    ----------
    model : LanguageModel. tables : of ``ngrams.count_followers``. encoder : of ``bpe.train_bpe``.
    texts : list of texts of at least 12 tokens; their last token is what was to come.
    kept : int, tokens read at the start, 1 to 12; counts read no more than one less than their order.
    discount : float, of the counts at the start, 0.05 to 0.95.

    Returns
    -------
    Dial with the controls text, kept and discount.
    """
    controls = {
        "text": choice("text", {text: place for place, text in enumerate(texts)}, 0),
        "kept": slider("tokens read", kept, 1, 12, 1),
        "discount": slider("discount", discount, 0.05, 0.95, 0.05),
    }
    scene = prefix_scene(SHOWN)
    rows = [[BEGIN, *encoder.encode(text).ids] for text in texts]
    V = encoder.get_vocab_size()

    def move(text, kept, discount):
        prefix, wanted = rows[text][:-1][-kept:], rows[text][-1]
        with torch.no_grad():
            network = torch.softmax(model.eval()(torch.tensor([prefix]))[0][0, -1], dim=0)
        counts = torch.tensor(distribution(tables, prefix, V, discount))
        _set_bars(scene, encoder, network, {"network": network, "counts": counts})
        read = " ".join(encoder.id_to_token(token) for token in prefix)
        scene["text"].set_text(f"read: {read}\ncame: {encoder.id_to_token(wanted)}")
        return (
            f"After the last {len(prefix)} tokens ({read}) came {encoder.id_to_token(wanted)}: the network "
            f"gives it {float(network[wanted]):.3g}, counts with {min(kept, len(tables) - 1)} tokens before "
            f"and discount {discount:.2f} give it {float(counts[wanted]):.3g}."
        )

    return Dial(controls, scene, move)


def _set_bars(scene, encoder, ordered, kinds):
    """Heights and words of the tokens that are likeliest by ``ordered``."""
    best = torch.topk(ordered, SHOWN).indices.tolist()
    tallest = max(float(shares[token]) for shares in kinds.values() for token in best)
    scene["word 1"].axes.set_ylim(0, next_double(0.05, 1.1 * tallest))
    for place, token in enumerate(best, start=1):
        scene[f"word {place}"].set_text(encoder.id_to_token(token))
        for kind, shares in kinds.items():
            scene[f"{kind} {place}"].set_ydata([0, float(shares[token])])
