"""Reference answers of exercise 12, sequence to sequence; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where it needs torch alone.
"""

import torch


def encode(source, lengths, embedding, W_xh, W_hh, b):
    """State after reading each row from its last real word to its first: (B, S) words -> (B, H)."""
    h = b.new_zeros(len(source), len(b))  # (B, H)
    for t in reversed(range(source.shape[1])):
        new = torch.tanh(embedding[source[:, t]] @ W_xh.T + h @ W_hh.T + b)
        h = torch.where((t < lengths)[:, None], new, h)  # pads come first, and a row waits for its own end
    return h


def decode_greedy(h, decoder, begin, end, limits):
    """The likeliest word at each step: words (B, limits.max()), -1 behind a row, and log p (B,)."""
    embedding, W_xh, W_hh, b, W_hy = decoder
    fed, log_p = torch.full((len(h),), begin), h.new_zeros(len(h))
    words = torch.full((len(h), int(limits.max())), -1)
    running = torch.ones(len(h), dtype=torch.bool)
    for t in range(words.shape[1]):
        running = running & (t < limits)
        h = torch.tanh(embedding[fed] @ W_xh.T + h @ W_hh.T + b)
        best, fed = torch.log_softmax(h @ W_hy.T, dim=1).max(dim=1)  # of equal ones the first
        log_p = log_p + best * running
        running = running & (fed != end)
        words[running, t] = fed[running]
    return words, log_p


def teacher_forced_loss(h, target, lengths, decoder, begin, end):
    """Mean cross-entropy of a word in nats, one end a row included: target (B, T) -> number."""
    embedding, W_xh, W_hh, b, W_hy = decoder
    steps = torch.arange(target.shape[1] + 1)
    fed = torch.nn.functional.pad(target, (1, 0), value=begin)  # (B, T + 1)
    wanted = torch.nn.functional.pad(target, (0, 1), value=end)
    wanted = torch.where(steps == lengths[:, None], end, wanted)
    total = 0.0
    for t in steps:
        h = torch.tanh(embedding[fed[:, t]] @ W_xh.T + h @ W_hh.T + b)
        log_p = torch.log_softmax(h @ W_hy.T, dim=1).gather(1, wanted[:, t, None])[:, 0]  # (B,)
        total = total - log_p[t <= lengths].sum()
    return total / (lengths + 1).sum()


def exact_match(said, target, lengths, end):
    """The share of rows whose words before the first end are the target's: a number from 0 to 1."""
    right = 0
    for row, wanted, length in zip(said.tolist(), target.tolist(), lengths.tolist(), strict=True):
        right += end in row and row[: row.index(end)] == wanted[:length]
    return right / len(said)


def beam_search(h, decoder, begin, end, width, limit, power):
    """The best finished answer of a beam in which finished ones wait: its words (n,) and its log p."""
    embedding, W_xh, W_hh, b, W_hy = decoder
    beam = [([], 0.0, h)]  # words, log p, state
    for _ in range(limit):
        candidates = []
        for words, log_p, h in beam:
            if end in words:
                candidates.append((words, log_p, h))
                continue
            h = torch.tanh(W_xh @ embedding[words[-1] if words else begin] + W_hh @ h + b)
            more = torch.log_softmax(W_hy @ h, dim=0).tolist()
            candidates += [([*words, word], log_p + more[word], h) for word in range(len(more))]
        beam = sorted(candidates, key=lambda row: -row[1])[:width]  # equal ones stay in their order
    over = [row for row in beam if end in row[0]] or beam
    words, log_p, _ = max(over, key=lambda row: row[1] / len(row[0]) ** power)
    return torch.tensor([word for word in words if word != end], dtype=torch.int64), log_p
