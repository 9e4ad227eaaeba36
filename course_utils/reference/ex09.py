"""Reference answers of exercise 09, gated units; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where it needs torch alone.
"""

import torch


def lstm_step(x_t, h, c, W_x, W_h, b, order):
    """One step with the blocks in a given order: (B, d), (B, H), (B, H) -> (B, H), (B, H)."""
    blocks = (x_t @ W_x.T + h @ W_h.T + b).chunk(4, dim=1)
    of = dict(zip(order, blocks, strict=True))
    i, f, o = (torch.sigmoid(of[letter]) for letter in "ifo")
    c = f * c + i * torch.tanh(of["g"])
    return o * torch.tanh(c), c


def gru_step(x_t, h, write, reset, candidate, mask):
    """One step of the lecture's GRU, of the rows in the mask: (B, d), (B, H) -> (B, H)."""
    z, r = (torch.sigmoid(x_t @ W_x.T + h @ W_h.T + b) for W_x, W_h, b in (write, reset))
    W_x, W_h, b = candidate
    n = torch.tanh(x_t @ W_x.T + (r * h) @ W_h.T + b)
    return torch.where(mask[:, None], (1 - z) * h + z * n, h)


def lstm_forward(x, lengths, W_x, W_h, b, h0, c0):
    """States and cells of a padded batch, standing still after each length: twice (B, T, H)."""
    h, c, states, cells = h0, c0, [], []
    for t in range(x.shape[1]):
        i, f, g, o = (x[:, t] @ W_x.T + h @ W_h.T + b).chunk(4, dim=1)  # (B, H) each
        new_c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        new_h = torch.sigmoid(o) * torch.tanh(new_c)
        real = (t < lengths)[:, None]  # (B, 1)
        h, c = torch.where(real, new_h, h), torch.where(real, new_c, c)
        states.append(h)
        cells.append(c)
    return torch.stack(states, dim=1), torch.stack(cells, dim=1)


def cell_line_gradient(f, lengths):
    """Each row's last cell by each of its cells, along the cell alone: gates (B, T, H) -> (B, T, H)."""
    gradient = torch.zeros_like(f)
    carried = torch.zeros_like(f[:, 0])  # (B, H)
    for t in reversed(range(f.shape[1])):
        last = (t == lengths - 1)[:, None]
        carried = torch.where(last, 1.0, carried)  # the last cell by itself; behind it stays 0
        gradient[:, t] = carried
        carried = f[:, t] * carried
    return gradient


def gru_to_torch(write, reset, candidate, b_hn):
    """Weights of ``nn.GRU``: (3H, d), (3H, H), (3H,), (3H,), blocks reset, update, candidate."""
    keep = [-part for part in write]  # 1 - sigma(a) = sigma(-a)
    weight_ih, weight_hh, bias_ih = (torch.cat(parts) for parts in zip(reset, keep, candidate, strict=True))
    none = torch.zeros_like(b_hn)
    return weight_ih, weight_hh, bias_ih, torch.cat([none, none, b_hn])
