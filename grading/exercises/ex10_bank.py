"""The bank of exercise 10, classifier; for instructors only.

canary: rnn-course-canary-5b1e9c

It goes on from ``ex10_pads_bank`` (pad_batch), ``ex10_states_bank`` (masked_last_state),
``ex10_classify_bank`` and ``ex10_decision_bank`` (classify), ``ex10_accuracy_bank`` and
``ex10_shares_bank`` (accuracy), ``ex10_training_bank`` and ``ex10_updates_bank`` (train_classifier).
"""

import math

import torch

from grading.bank import Question
from grading.exercises import ex10_decision_bank  # noqa: F401 (registers the rest of classify)
from grading.exercises.ex10_training_bank import bank
from grading.exercises.ex10_updates_bank import train_classifier
from grading.term import words

# train_classifier, variants -------------------------------------------------------------------------


class Reader(torch.nn.Module):
    """The model of the exercise out of PyTorch's modules."""

    def __init__(self, weights):
        super().__init__()
        vectors, W_xh, _, b, _, b_y = weights
        self.vectors = torch.nn.Embedding.from_pretrained(vectors.clone(), freeze=False)
        self.unit = torch.nn.RNN(W_xh.shape[1], len(b), batch_first=True, dtype=b.dtype)
        self.out = torch.nn.Linear(len(b), len(b_y), dtype=b.dtype)
        parts = [self.unit.weight_ih_l0, self.unit.weight_hh_l0, self.unit.bias_ih_l0, *self.out.parameters()]
        with torch.no_grad():
            self.unit.bias_hh_l0.zero_()
            for old, new in zip(parts, weights[1:], strict=True):
                old.copy_(new)
        self.unit.bias_hh_l0.requires_grad = False
        self.learned = [self.vectors.weight, *parts]

    def forward(self, ids, lengths):
        states, _ = self.unit(self.vectors(ids))
        return self.out(states[torch.arange(len(ids)), lengths - 1])


@train_classifier.variant
def with_modules_and_an_optimiser(weights, ids, lengths, labels, batches, epochs, rate, limit, new=None):
    model = Reader(weights)
    optimiser = torch.optim.SGD(model.learned, lr=rate)
    lossfunction = torch.nn.CrossEntropyLoss()
    for _ in range(epochs):
        for batch in batches:
            optimiser.zero_grad()
            lossfunction(model(ids[batch], lengths[batch]), labels[batch]).backward()
            if torch.nn.utils.get_total_norm([w.grad for w in model.learned]) > limit:
                torch.nn.utils.clip_grad_norm_(model.learned, limit)
            optimiser.step()
    if new is None:
        return [w.detach() for w in model.learned]
    model.eval()
    with torch.no_grad():
        return model(*new).softmax(dim=1).max(dim=1).indices


@train_classifier.variant
def log_probabilities_in_float32(weights, ids, lengths, labels, batches, epochs, rate, limit, new=None):
    p = [w.float().clone().requires_grad_(True) for w in weights]

    def forward(ids, lengths):
        h, states = torch.zeros(ids.shape[0], p[3].shape[0]), []
        for t in range(ids.shape[1]):
            h = torch.tanh(torch.nn.functional.embedding(ids[:, t], p[0]) @ p[1].T + h @ p[2].T + p[3])
            states.append(h)
        last = torch.stack(states, dim=1)[torch.arange(len(ids)), lengths - 1]
        return torch.log_softmax(last @ p[4].T + p[5], dim=-1)

    for index in list(batches) * epochs:
        for w in p:
            w.grad = None
        chosen = forward(ids[index], lengths[index])[torch.arange(len(index)), labels[index]]
        (-chosen.mean()).backward()
        norm = torch.linalg.vector_norm(torch.cat([w.grad.flatten() for w in p]))
        scale = limit / norm if norm > limit else 1.0
        for w in p:
            w.data -= rate * scale * w.grad
    if new is None:
        return tuple(w.detach().numpy() for w in p)
    return forward(*new).argmax(dim=-1).detach()


# concept questions ----------------------------------------------------------------------------------


@bank.numbered((5,), (8,), (6,), (10,))
def a_floor_of_the_loss(classes=4):
    others = classes - 1

    def floor(classes):
        return math.log(1 + (classes - 1) / math.e)

    most = 1 / (1 + others / math.e)
    return Question(
        "a_floor_of_the_loss",
        round(floor(classes), 3),
        f"At best the first softmax gives 1 for the right class and 0 for the {words(others)} others. "
        "Taken as "
        f"scores these give the right class e / (e + {others}) = {most:.3f}, and -ln {most:.3f} = "
        f"{floor(classes):.3f}. "
        "The loss falls, and stops there.",
        tolerance=0.005,
        replies={
            0: "That is the floor without the second softmax; cross_entropy takes the probabilities for "
            "scores.",
            round(
                math.log(classes), 3
            ): f"That is ln {classes}, the loss of {words(classes)} equal probabilities, "
            "where training begins.",
            round(
                most, 3
            ): f"That is the largest probability that is left, e / (e + {others}); the loss is -ln of it.",
            0.313: "That would be the floor for two classes, ln(1 + 1/e); here there are "
            f"{words(others)} others.",
            round(
                floor(others), 3
            ): f"That would be the floor for {words(others)} classes, ln(1 + {others - 1}/e); "
            f"{words(classes)} classes have {words(others)} others.",
            round(
                floor(classes) / math.log(10), 3
            ): "That is the logarithm to the base 10; the cross-entropy takes the natural one.",
        },
        numbers={"classes": words(classes)},
    )


bank.question(
    "the_last_column_of_both",
    "b",
    "The backward direction begins at the last word, so its state there has read this one word. It has read "
    "the whole row at the first word. No pads are needed for this mistake, and no error is raised.",
    choices=("a", "b", "c", "d"),
    replies={
        "a": "That holds for the forward half; the backward one reads from the last word to the first.",
        "c": "A state is taken after its step, so it has read the word of its column, here the last.",
        "d": "The two directions have weights and states of their own; neither reads what the other did.",
    },
)

bank.written(
    "order_report",
    "0.5: the size of the test: at 0.86 on 400 documents one accuracy is off by chance by 1.96 * 0.017 = "
    "0.034, so 0.02, eight documents, can be chance; a paired comparison of the documents on which the two "
    "differ, with an interval, is what counts (separate intervals alone, with numbers: half of it). "
    "0.5: one seed each: several seeds, mean and interval; the best of twenty epochs of the GRU was chosen "
    "on the test documents, so 0.86 is too high: choose on validation documents. "
    "0.5: the split: near copies stand on both sides, so learning by heart is rewarded; groups of near "
    "copies go to one part. (Also: both models deserve a search over step sizes, on validation documents.) "
    "0.5: order: trained and tested on shuffled words the GRU keeps 0.855 of 0.86, so hardly any of its "
    "advantage can come from order; that experiment speaks against the conclusion, not for it. A test of "
    "order is a task whose classes share their words, where a bag is at chance.",
)
