"""The dials of lesson 12: a number translated word by word, and the one vector between the two networks."""

from functools import partial

import torch

from course_utils.beam import beam_search, probability
from course_utils.scenes_seq2seq import LINES, state_scene, translation_scene
from course_utils.seq2seq import final_state, free_run, next_scores, rounded_state
from course_utils.tokens import BEGIN, END
from course_utils.widgets import Dial, choice, slider

STEPS = 14
"""Words after which an answer is broken off."""


def translation_dial(model, read, vocabulary, number=4281, width=1, largest=9999):
    """Put a number in; see the answer word by word, what nearly came instead, and the answers of a beam.

    Parameters
    ----------
    model : Seq2Seq.
    read : function of a number that gives its words as a text and as a list of ints.
    vocabulary : Vocabulary of what is written.
    number, width : ints, the number and the beam's width at the start.
    largest : int, the largest number to choose.

    Returns
    -------
    Dial with the controls number and width.
    """
    controls = {
        "number": slider("number", number, 0, largest, 1),
        "width": choice("beam width", {str(size): size for size in (1, 2, 4, 8)}, width),
    }
    scene, step = translation_scene(STEPS), partial(next_scores, model)

    def move(number, width):
        text, words = read(number)
        with torch.no_grad():
            h = final_state(model, torch.tensor([words]), torch.tensor([len(words)]))[0]
            answers = beam_search(step, h, width, STEPS)
            said = answers[0].words
            chances, others = _beside(model, h, said)
        scene["question"].set_text(text)
        scene["said"].set_data(range(1, len(said) + 1), chances)
        scene["next"].set_data(range(1, len(said) + 1), [chance for _, chance in others])
        for t in range(1, STEPS + 1):
            there = t <= len(said)
            scene["word", t].set_text(_shown(vocabulary, said[t - 1]) if there else "")
            scene["other", t].set_text(_shown(vocabulary, others[t - 1][0]) if there else "")
        lines = [f"{probability(answer):.3g}  {_row(vocabulary, answer.words)}" for answer in answers]
        for line in range(1, LINES + 1):
            scene["answer", line].set_text(lines[line - 1] if line <= len(lines) else "")
        least = min(range(len(said)), key=chances.__getitem__)
        return (
            f'{number}, "{text}": beam width {width} says "{_row(vocabulary, said)}", probability '
            f"{probability(answers[0]):.3g}. Least sure at word {least + 1}, "
            f'"{_shown(vocabulary, said[least])}" ({chances[least]:.3g}); next best there '
            f'"{_shown(vocabulary, others[least][0])}" ({others[least][1]:.3g}). '
            f"{len(answers)} of {width} beginnings came to an answer."
        )

    return Dial(controls, scene, move)


def state_dial(model, read, vocabulary, number=4281, share=1.0, levels=17, largest=9999):
    """Hand over a part of the encoder's state: so many times its size, its numbers on so many levels.

    Parameters
    ----------
    model, read, vocabulary, largest : as for ``translation_dial``.
    number, levels : ints and share : float, at the start.

    Returns
    -------
    Dial with the controls number, share and levels.
    """
    controls = {
        "number": slider("number", number, 0, largest, 1),
        "share": slider("times its size", share, 0.0, 1.5, 0.05),
        "levels": choice("levels", {str(count): count for count in (2, 3, 5, 17, 257)}, levels),
    }
    H = model.scores.in_features
    scene = state_scene(H)

    def move(number, share, levels):
        text, words = read(number)
        with torch.no_grad():
            h = final_state(model, torch.tensor([words]), torch.tensor([len(words)]))
            got = share * rounded_state(h, levels)
            said = free_run(model, got, STEPS)[0].tolist()
        scene["state"].set_data(range(1, H + 1), h[0].numpy())
        scene["got"].set_data(range(1, H + 1), got[0].numpy())
        scene["question"].set_text(f"read: {text}")
        scene["answer"].set_text(f"said: {_row(vocabulary, said)}")
        scene["grid"].set_text(f"{levels} levels, then times {share:.2f}")
        return (
            f'{number}, "{text}": of {H} numbers on {levels} levels, times {share:.2f}, the decoder makes '
            f'"{_row(vocabulary, said)}". State and what is handed over are '
            f"{(got - h).norm().item():.3g} apart, the state is {h.norm().item():.3g} long."
        )

    return Dial(controls, scene, move)


def _beside(model, h, said):
    """The probability of each word when it was said, and the likeliest other word with its own."""
    chances, others, h, word = [], [], h[None], torch.tensor([BEGIN])
    for number in said:
        scores, h = next_scores(model, word, h)
        p = torch.softmax(scores[0], dim=0)
        chances.append(p[number].item())
        p[number] = -1.0
        others.append((int(p.argmax()), p.max().item()))
        word = torch.tensor([number])
    return chances, others


def _shown(vocabulary, number):
    return "end" if number == END else vocabulary.words[number]


def _row(vocabulary, numbers):
    """An answer as a text; what was broken off has three dots."""
    words = " ".join(vocabulary.decode([number for number in numbers if number != END]))
    return (words if END in numbers else f"{words} ...").replace(" - ", "-")
