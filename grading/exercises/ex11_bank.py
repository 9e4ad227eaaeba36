"""The bank of exercise 11, a language model; for instructors only.

canary: rnn-course-canary-5b1e9c

It goes on from ``ex11_batch_bank`` (make_lm_batch), ``ex11_loss_bank`` (masked_cross_entropy),
``ex11_perplexity_bank``, ``ex11_sample_bank`` and ``ex11_draw_bank`` (sample_next), ``ex11_train_bank`` and
``ex11_epoch_bank`` (train_epoch), and adds the questions.
"""

import math

from grading.bank import Question
from grading.exercises.ex11_epoch_bank import bank

# concept questions ----------------------------------------------------------------------------------


@bank.numbered((20,), (50,), (5,), (25,))
def one_rare_token(power=10):
    tens = (99 + power) / 100  # the mean loss to the base 10
    part = {5: "a twentieth", 10: "a tenth", 20: "a fifth", 25: "a quarter", 50: "half"}[power]
    return Question(
        "one_rare_token",
        round(10**tens, 1),
        f"The mean loss is (99 ln 10 + {power} ln 10) / 100 = {tens:g} ln 10 = {tens * math.log(10):.2f} "
        "nats, and its "
        f"exponential is 10^{tens:g}, {10**tens:.1f}. One token at 10^-{power} adds {part} of a power of "
        "ten: dear, "
        "but not more than any other nat.",
        tolerance=0.05,
        replies={
            10.0: "That leaves the rare token out; it counts as one of the hundred.",
            (99 * 10 + 10**power)
            / 100: "That is the mean of 1 / P; average the logarithms, the exponential comes last.",
            10.1: "That is 1 over the mean of P; average the logarithms, not the probabilities.",
            round(
                tens * math.log(10), 2
            ): "That is the mean loss in nats; the perplexity is its exponential.",
            tens: "That is the mean loss to the base 10; the perplexity is 10 to its power.",
            round(
                tens * math.log2(10), 2
            ): "That is the mean loss in bits; the perplexity is 2 to its power.",
        },
        numbers={"power": power},
    )


bank.question(
    "cooler_nucleus",
    "a",
    "Dividing by a lower temperature keeps the order and moves probability to the likelier tokens: the first "
    "j tokens together never hold less than before. The mass is reached at the same token or earlier.",
    choices=("a", "b", "c", "d"),
    replies={
        "b": "That is what a higher temperature does: it levels the shares, so more tokens are needed.",
        "c": "Top-k keeps the same tokens, that is right; but their shares change, and so does the nucleus.",
        "d": "It cannot grow: the likeliest tokens together never hold less when the temperature falls.",
    },
)

bank.written(
    "pieces_or_words",
    "0.5: the units: 50 is per piece, 90 per word; at 1.4 pieces a word A has 50^1.4 = 239 a word (1.4 ln 50 "
    "is 5.48 nats, ln 90 is 4.50). A power, not 1.4 times 50 (0.25 for the idea without the number). "
    "0.5: <unk>: B never says which word an <unk> was. 8 % of its questions cost 0.69 nats; the other 92 % "
    "cost (4.50 - 0.08 * 0.69) / 0.92 = 4.83, perplexity 125, and what it would cost to spell the unknown "
    "words is missing (any estimate: three pieces of ln 50 each add 0.94 nats a word, to about 230). "
    "0.5: the averages: means of batches' perplexities are too high and differ with the batches; exp of all "
    "nats over all tokens, the same text. "
    "0.5: the conclusion: nothing is shown yet, least of all that A is better by 40; compare nats a letter "
    "(or a word) on one text, with B spelling its unknown words, or both on the words that both can write.",
)
