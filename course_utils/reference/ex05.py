"""Reference answers of exercise 05, the plain RNN; for instructors only.

canary: rnn-course-canary-5b1e9c

Each body is copied into the instructor's notebook, where torch is the only import.
"""

import torch


def rnn_forward(x, lengths, W_xh, W_hh, b, h0=None):
    """States of a padded batch, zeros after each length: x (B, T, d), h0 (B, H) -> (B, T, H)."""
    B, T, _ = x.shape
    h = x.new_zeros(B, len(b)) if h0 is None else h0
    states = x.new_zeros(B, T, len(b))
    for t in range(T):
        h = torch.tanh(x[:, t] @ W_xh.T + h @ W_hh.T + b)  # (B, H)
        states[:, t] = torch.where((t < lengths)[:, None], h, 0)  # a row that has ended needs no h any more
    return states


def last_valid_state(states, lengths, h0):
    """State of each row at its own end, h0 for length 0: states (B, T, H), h0 (B, H) -> (B, H)."""
    with_start = torch.cat([h0[:, None], states], dim=1)  # (B, T + 1, H), [n, t] after t steps
    return with_start[torch.arange(len(lengths)), lengths]


def stacked_forward(x, lengths, layers, h0=None):
    """Layers on top of each other: x (B, T, d), h0 (L, B, H) -> output (B, T, H), h_n (L, B, H)."""
    B, T, _ = x.shape
    real = (torch.arange(T) < lengths[:, None])[:, :, None]  # (B, T, 1)
    output, h_n = x, []
    for layer, (W_xh, W_hh, b) in enumerate(layers):
        h = x.new_zeros(B, len(b)) if h0 is None else h0[layer]
        states = []
        for t in range(T):
            new = torch.tanh(output[:, t] @ W_xh.T + h @ W_hh.T + b)
            h = torch.where(real[:, t], new, h)  # (B, H), as it was once the row has ended
            states.append(h)
        output = torch.stack(states, dim=1) * real  # (B, T, H)
        h_n.append(h)
    return output, torch.stack(h_n)


def bidirectional_forward(x, lengths, forward, backward):
    """Both directions of a padded batch: x (B, T, d) -> output (B, T, 2H), h_n (2, B, H)."""
    B, T, _ = x.shape
    real = (torch.arange(T) < lengths[:, None])[:, :, None]  # (B, T, 1)
    outputs, h_n = [], []
    for (W_xh, W_hh, b), steps in ((forward, range(T)), (backward, reversed(range(T)))):
        h = x.new_zeros(B, len(b))
        states = x.new_zeros(B, T, len(b))
        for t in steps:
            new = torch.tanh(x[:, t] @ W_xh.T + h @ W_hh.T + b)
            h = torch.where(real[:, t], new, h)  # (B, H), pads do not move it
            states[:, t] = h * real[:, t]
        outputs.append(states)
        h_n.append(h)
    return torch.cat(outputs, dim=2), torch.stack(h_n)


def activation_bytes(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    """Bytes of the input and of all states, which the backward pass reads."""
    numbers = B * T * d + layers * directions * B * T * H
    return numbers * bytes_per_number
