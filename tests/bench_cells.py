"""The course's own loop and backward pass beside PyTorch's: ``python tests/bench_cells.py`` prints ratios.

Forward, a batch: ``cells.rnn_forward`` against ``nn.RNN``, neither with a graph. Gradient, one
sequence with its forward pass: ``bptt.backward`` against autograd through the same loop.
"""

import torch
from torch import nn

from course_utils.bptt import backward
from course_utils.cells import rnn_forward
from course_utils.conventions import rnn_from_torch
from course_utils.costs import fastest

SIZES = [(8, 10, 8, 16), (32, 50, 32, 64), (32, 100, 300, 512)]
"""(B, T, d, H): small, middling, and the lecture's example."""


def pairs(B, T, d, H):
    """The computations to compare, ours before PyTorch's: {name: (ours, theirs)}."""
    rnn, x = nn.RNN(d, H, batch_first=True), torch.randn(B, T, d)
    weights = rnn_from_torch(rnn.state_dict())
    upstream, W_hh = torch.randn(T, H), weights[1].clone().requires_grad_()

    def by_hand():
        with torch.no_grad():
            states = rnn_forward(x[:1], *weights)[0]
            return backward(upstream, states, weights[1])[1].sum(dim=0)

    def by_autograd():
        states = rnn_forward(x[:1], weights[0], W_hh, weights[2])[0]
        return torch.autograd.grad((upstream * states).sum(), W_hh)[0]

    torch.testing.assert_close(by_hand(), by_autograd(), rtol=1e-3, atol=1e-3)
    with torch.no_grad():
        torch.testing.assert_close(rnn_forward(x, *weights), rnn(x)[0], rtol=1e-3, atol=1e-4)
    return {
        "forward": (lambda: rnn_forward(x, *weights), lambda: rnn(x)),
        "gradient of W_hh": (by_hand, by_autograd),
    }


def main():
    """Print a line for each size and computation."""
    torch.manual_seed(5)
    for size in SIZES:
        for name, (ours, theirs) in pairs(*size).items():
            one, other = fastest([ours, theirs], repeats=10)
            label = f"B {size[0]}, T {size[1]}, d {size[2]}, H {size[3]}: {name}"
            print(
                f"{label:<52} {1000 * one:8.2f} ms, PyTorch {1000 * other:8.2f} ms, {one / other:5.2f} times"
            )


if __name__ == "__main__":
    main()
