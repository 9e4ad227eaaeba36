"""More of the third part of the bank of exercise 12: faults and variants of the loss; for instructors only.

canary: rnn-course-canary-5b1e9c
"""

import numpy as np
import torch

from course_utils.reference import ex12 as reference
from grading.exercises.ex12_loss_bank import bank, each, teacher_forced_loss
from grading.exercises.ex12_runs import column, log_probabilities, with_ends

__all__ = ["bank"]

# teacher_forced_loss: faults and variants -----------------------------------------------------------


@teacher_forced_loss.fault("fed")
def vectors_doubled(h, target, lengths, decoder, begin, end):
    decoder = (2 * decoder[0], *decoder[1:])
    return reference.teacher_forced_loss(h, target, lengths, decoder, begin, end)


@teacher_forced_loss.fault("state")
def start_halved(h, target, lengths, decoder, begin, end):
    return reference.teacher_forced_loss(h / 2, target, lengths, decoder, begin, end)


@teacher_forced_loss.fault("bias")
def bias_negated(h, target, lengths, decoder, begin, end):
    embedding, W_xh, W_hh, b, W_hy = decoder
    return reference.teacher_forced_loss(h, target, lengths, (embedding, W_xh, W_hh, -b, W_hy), begin, end)


@teacher_forced_loss.fault("lengths")
def one_pad_counts(h, target, lengths, decoder, begin, end):
    losses, _ = each(h, target, lengths, decoder, begin, end)
    return losses[torch.arange(losses.shape[1]) <= lengths[:, None] + 1].mean()


@teacher_forced_loss.variant
def by_pytorch(h, target, lengths, decoder, begin, end):
    embedding, W_xh, W_hh, b, W_hy = decoder
    network = torch.nn.RNN(*W_xh.T.shape, batch_first=True, dtype=h.dtype)
    with torch.no_grad():
        for old, new in zip(network.parameters(), (W_xh, W_hh, b, 0 * b), strict=True):
            old.copy_(new)
        fed = torch.cat([column(target, begin), target], dim=1)
        scores = network(embedding[fed], h[None].contiguous())[0] @ W_hy.T
    wanted = with_ends(target, lengths, end)
    wanted[torch.arange(wanted.shape[1]) > lengths[:, None]] = -100
    return torch.nn.functional.cross_entropy(scores.flatten(0, 1), wanted.flatten())


@teacher_forced_loss.variant
def row_after_row(h, target, lengths, decoder, begin, end):
    found = []
    for state, row, length in zip(h, target.tolist(), lengths.tolist(), strict=True):
        fed = torch.tensor([[begin, *row[:length]]])
        log_p = log_probabilities(state[None], fed, decoder)[0]
        found += [-log_p[t, word].item() for t, word in enumerate([*row[:length], end])]
    return sum(found) / len(found)


@teacher_forced_loss.variant
def numpy_with_a_mask(h, target, lengths, decoder, begin, end):
    embedding, W_xh, W_hh, b, W_hy = (weight.numpy().astype(np.float32) for weight in decoder)
    h, rows, total = h.numpy().astype(np.float32), np.arange(len(h)), 0.0
    wanted, lengths = with_ends(target, lengths, end).numpy(), lengths.numpy()
    fed = np.full(len(h), begin)
    for t in range(wanted.shape[1]):
        h = np.tanh(np.einsum("be,he->bh", embedding[fed], W_xh) + h @ W_hh.T + b)
        p = np.exp(h @ W_hy.T)
        losses = -np.log(p[rows, wanted[:, t]] / p.sum(axis=1))
        total += losses[t <= lengths].sum()
        fed = wanted[:, t]  # behind the end it does not matter
    return total / (lengths + 1).sum()
