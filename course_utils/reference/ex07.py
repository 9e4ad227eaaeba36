"""Reference answers of exercise 07, the horizon; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where it needs torch alone.
"""

import torch


def jacobian_products(states, W_hh):
    """How the last state moves with each: states (B, T, H), W_hh (H, H) -> dh_T/dh_t, (B, T, H, H)."""
    B, T, H = states.shape
    product = torch.eye(H, dtype=states.dtype).expand(B, H, H)
    products = [product]  # newest first
    for t in range(T - 1, 0, -1):
        J = (1 - states[:, t] ** 2)[:, :, None] * W_hh  # (B, H, H), of the step that ended in states[:, t]
        product = product @ J
        products.append(product)
    return torch.stack(products[::-1], dim=1)


def per_step_factor(norms, first, last):
    """The factor a step from the lengths (T,) at the lags first to last, without 0 and infinity."""
    lengths, lags = norms[first : last + 1].double(), torch.arange(first, last + 1)
    inside = (lengths > 0) & torch.isfinite(lengths)  # of others there is no logarithm
    lags, logs = lags[inside].double(), lengths[inside].log()
    lags = lags - lags.mean()  # about 0, so the height of the line drops out
    return torch.exp((lags @ logs) / (lags @ lags))


def horizon(factor, eps, layers, down):
    """Whole steps until at most eps of a gradient of 1 is left, on one path through a stack."""
    left, steps = down ** (layers - 1), 0
    if left > eps and factor >= 1:
        return float("inf")
    while left > eps:
        left, steps = factor * left, steps + 1
    return steps


def path_count(T, L, skip):
    """Paths from (T, L) back to (1, 1) with skip connections in time, and the fewest factors on one."""
    count = [[0] * (L + 1) for _ in range(T + 1)]  # count[t][l] paths lead from (t, l) to (1, 1)
    count[1][1] = 1
    for t in range(1, T + 1):
        for layer in range(1, L + 1):
            count[t][layer] += count[t - 1][layer] + count[t][layer - 1]
            if t > skip:
                count[t][layer] += count[t - skip][layer]
    jumps, single_steps = divmod(T - 1, skip)
    return count[T][L], jumps + single_steps + L - 1


def recall_batch(symbols, cues, lengths, V):
    """One-hot inputs with a cue (B, T, V + 1), the cued symbols (B,) and how far back they lie (B,)."""
    B, T = symbols.shape
    rows = torch.arange(B)
    inputs = torch.zeros(B, T, V + 1)
    inputs[:, :, :V] = torch.nn.functional.one_hot(symbols, V)
    inputs[rows, cues, V] = 1
    inputs[torch.arange(T) >= lengths[:, None]] = 0  # (B, T), behind the end of a row
    return inputs, symbols[rows, cues], lengths - 1 - cues
