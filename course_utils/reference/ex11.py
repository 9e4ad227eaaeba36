"""Reference answers of exercise 11, a language model; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where it needs torch alone.
"""

import torch


def make_lm_batch(documents, most, begin, end, pad):
    """Inputs and targets (B, T) of documents with marks, cut to ``most`` targets, and the counts (B,)."""
    rows = [[begin, *document, end][: most + 1] for document in documents]
    counts = torch.tensor([len(row) - 1 for row in rows])
    inputs, targets = torch.full((2, len(rows), int(counts.max())), pad)
    for n, row in enumerate(rows):
        inputs[n, : counts[n]] = torch.tensor(row[:-1])
        targets[n, : counts[n]] = torch.tensor(row[1:])
    return inputs, targets, counts


def masked_cross_entropy(scores, targets, pad):
    """Mean of -ln P over the targets that are no pads, and its gradient at the scores (B, T, V)."""
    real = targets != pad
    count = max(int(real.sum()), 1)
    wanted = torch.where(real, targets, 0)[:, :, None]  # (B, T, 1): any token where there is a pad
    logs = torch.log_softmax(scores, dim=2)
    loss = -(logs.gather(2, wanted)[:, :, 0] * real).sum() / count
    gradient = logs.exp().scatter_add(2, wanted, -torch.ones_like(logs[:, :, :1]))
    return loss, gradient * real[:, :, None] / count


def perplexity(losses, tokens, words, base):
    """Perplexity a token and a word, from the batches' mean losses in units of the base."""
    nats = (losses.double() * tokens).sum() * torch.tensor(base, dtype=torch.float64).log()
    means = nats / torch.stack([tokens.sum(), words.sum()])
    return torch.where(means <= 20, means.exp(), torch.inf)


def sample_next(scores, u, temperature, k, mass):
    """Tokens (B,) drawn by the numbers u, and the shares (B, V) after temperature, top-k and nucleus."""
    order = torch.sort(scores, dim=1, descending=True, stable=True).indices[:, :k]
    best = scores.gather(1, order)  # (B, k)
    if temperature == 0:
        best = torch.where(torch.arange(best.shape[1]) == 0, 0.0, -torch.inf).expand_as(best).to(scores.dtype)
    else:
        best = best / temperature
    kept = torch.softmax(best, dim=1)
    before = kept.cumsum(dim=1) - kept  # what the likelier ones hold
    kept = torch.where(before < mass, kept, 0.0)
    shares = torch.zeros_like(scores).scatter(1, order, kept / kept.sum(dim=1, keepdim=True))
    sums = shares.cumsum(dim=1)
    return (sums / sums[:, -1:] <= u[:, None]).sum(dim=1), shares  # the last sum is 1 after any rounding


def train_epoch(groups, T, weights, rate, limit, rows=None):
    """One pass in windows of T steps: the new weights and the mean loss; given rows, what follows them."""

    def read(inputs, h):
        E, W_xh, W_hh, b, W_hy, b_y = weights
        states = []
        for x_t in E[inputs].unbind(dim=1):
            h = torch.tanh(x_t @ W_xh.T + h @ W_hh.T + b)
            states.append(h)
        return torch.stack(states, dim=1) @ W_hy.T + b_y, h  # (B, T, V), (B, H)

    weights = [weight.clone().requires_grad_() for weight in weights]
    optimiser = torch.optim.SGD(weights, lr=rate)
    total, count = 0.0, 0
    for inputs, targets in groups:
        h = weights[3].new_zeros(len(inputs), len(weights[3]))
        for at in range(0, inputs.shape[1], T):
            scores, h = read(inputs[:, at : at + T], h.detach())
            wanted = targets[:, at : at + T].flatten()
            loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), wanted, ignore_index=0)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, limit)
            optimiser.step()
            number = int((wanted != 0).sum())
            total, count = total + float(loss.detach()) * number, count + number
    if rows is not None:
        return read(rows, weights[3].new_zeros(len(rows), len(weights[3])))[0][:, -1].argmax(dim=1)
    return *(weight.detach() for weight in weights), total / count
