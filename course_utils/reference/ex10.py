"""Reference answers of exercise 10, classifier; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where it needs torch alone.
"""

import torch


def pad_batch(rows, longest, pad, keep):
    """Rows cut at one end, padded behind: lists of numbers -> ids (B, T), mask (B, T)."""
    rows = [row[:longest] if keep == "start" else row[-longest:] for row in rows]
    T = max(len(row) for row in rows)
    ids = torch.tensor([row + [pad] * (T - len(row)) for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    return ids, torch.arange(T) < lengths[:, None]


def masked_last_state(states, mask):
    """What both directions know at their ends, and the mean: (B, T, 2H), (B, T) -> twice (B, 2H)."""
    B, T, both = states.shape
    H, row, step = both // 2, torch.arange(B), torch.arange(T)
    end = torch.where(mask, step, -1).amax(dim=1)  # (B,), the last real step
    begin = torch.where(mask, step, T).amin(dim=1).clamp(max=T - 1)  # the first one
    last = torch.cat([states[row, end, :H], states[row, begin, H:]], dim=1)
    real = mask.sum(dim=1, keepdim=True)  # (B, 1)
    total = (states * mask[:, :, None]).sum(dim=1)
    return torch.where(real > 0, last, 0.0), total / real.clamp(min=1)


def classify(ids, lengths, vectors, unit, out, least):
    """Classes, probabilities and margins of a padded batch: (B, T), (B,) -> (B,), (B, K), (B,)."""
    W_xh, W_hh, b = unit
    W_hy, b_y = out
    x = vectors[ids]  # (B, T, d)
    h = x.new_zeros(len(ids), len(b))
    for t in range(ids.shape[1]):
        new = torch.tanh(x[:, t] @ W_xh.T + h @ W_hh.T + b)
        h = torch.where((t < lengths)[:, None], new, h)
    probabilities = torch.softmax(h @ W_hy.T + b_y, dim=1)
    best, second = probabilities.topk(2, dim=1).values.T
    margins = best - second
    return torch.where(margins >= least, probabilities.argmax(dim=1), -1), probabilities, margins


def accuracy(batches, K):
    """Shares of right rows: of all, of each class (K,), and the mean over the classes."""
    scores = torch.cat([scores for scores, _ in batches])
    labels = torch.cat([labels for _, labels in batches])
    scores, labels = scores[labels >= 0], labels[labels >= 0]
    own = scores.gather(1, labels[:, None])  # (N, 1)
    right = (scores >= own).sum(dim=1) == 1  # no other score is as large
    of_class = torch.nn.functional.one_hot(labels, K).double()  # (N, K)
    rows = of_class.sum(dim=0)
    shares = (of_class * right[:, None]).sum(dim=0) / rows.clamp(min=1)
    return right.double().mean(), torch.where(rows > 0, shares, -1.0), shares[rows > 0].mean()


def train_classifier(weights, ids, lengths, labels, batches, epochs, rate, limit, new=None):
    """Plain steps along the clipped gradient of each batch; then the weights, or the classes of new rows."""
    weights = [weight.clone().requires_grad_() for weight in weights]

    def scores_of(ids, lengths):
        vectors, W_xh, W_hh, b, W_hy, b_y = weights
        x = vectors[ids]
        h = x.new_zeros(len(ids), len(b))
        for t in range(ids.shape[1]):
            after = torch.tanh(x[:, t] @ W_xh.T + h @ W_hh.T + b)
            h = torch.where((t < lengths)[:, None], after, h)
        return h @ W_hy.T + b_y

    for _ in range(epochs):
        for rows in batches:
            scores = scores_of(ids[rows], lengths[rows])
            loss = torch.nn.functional.cross_entropy(scores, labels[rows])
            gradients = torch.autograd.grad(loss, weights)
            length = sum((gradient**2).sum() for gradient in gradients).sqrt()
            factor = limit / length.clamp(min=limit)  # 1 where the gradient is short enough
            with torch.no_grad():
                for weight, gradient in zip(weights, gradients, strict=True):
                    weight -= rate * factor * gradient
    if new is None:
        return [weight.detach() for weight in weights]
    with torch.no_grad():
        return scores_of(*new).argmax(dim=1)
