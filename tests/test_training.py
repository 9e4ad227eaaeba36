"""Models trained side by side: each as if it were alone, and as PyTorch's own modules in a plain loop."""

import math

import pytest
import torch
from torch import nn

from course_utils import training
from course_utils.training import first_symbol, new_weights, read, train

H, V, T, BATCH = 5, 3, 4, 6
SMALL = dict(H=H, V=V, batch=BATCH, updates=20, watch=5, tests=50)


def plain_loop(cell, seed, updates):
    """The losses of one model trained the usual way."""
    torch.manual_seed(seed)
    layer, scores = training.MODULES[cell](V, H, batch_first=True), nn.Linear(H, V)
    optimiser = torch.optim.Adam([*layer.parameters(), *scores.parameters()], lr=3e-3)
    losses = []
    for _ in range(updates):
        symbols = torch.randint(V, (BATCH, T))
        output, _ = layer(nn.functional.one_hot(symbols, V).float())
        loss = nn.functional.cross_entropy(scores(output[:, -1]), symbols[:, 0])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return torch.tensor(losses)


@pytest.fixture(autouse=True)
def leave_the_global_generator_alone():
    with torch.random.fork_rng():
        yield


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
def test_a_seed_is_trained_as_in_the_plain_loop(cell):
    trained = train(cell, T, [0, 7, 3], **SMALL | dict(watch=1))
    for row, seed in enumerate([0, 7, 3]):
        torch.testing.assert_close(trained.losses[row], plain_loop(cell, seed, 20), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])
def test_a_seed_is_trained_the_same_whoever_is_beside_it(cell):
    alone, among = train(cell, T, [7], **SMALL), train(cell, T, [0, 7], **SMALL)
    torch.testing.assert_close(among.losses[1], alone.losses[0], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(among.weights.W_h[1], alone.weights.W_h[0], rtol=1e-3, atol=1e-4)


def test_training_leaves_the_global_generator_alone():
    torch.manual_seed(1)
    wanted = torch.rand(3)
    torch.manual_seed(1)
    train("rnn", T, [0], **SMALL | dict(updates=2))
    assert torch.equal(torch.rand(3), wanted)


def test_the_gru_is_the_lectures():
    weights, (generator,) = new_weights("gru", [0], H, V)
    symbols = torch.randint(V, (BATCH, T), generator=generator)
    W, U, b = weights.W_x[0], weights.W_h[0], (weights.b + weights.b_h)[0]
    h = torch.zeros(BATCH, H)
    for x_t in nn.functional.one_hot(symbols, V).float().unbind(1):
        r, z = (torch.sigmoid(x_t @ W[:, k] + h @ U[:, k] + b[:, k]) for k in (slice(0, H), slice(H, 2 * H)))
        n = torch.tanh(x_t @ W[:, 2 * H :] + (r * h) @ U[:, 2 * H :] + b[:, 2 * H :])
        h = (1 - z) * h + z * n
    torch.testing.assert_close(read("gru", weights, symbols[None])[0][-1][0], h)


@pytest.mark.parametrize(("cell", "bias"), [("lstm", 2.0), ("gru", -2.0)])
def test_the_gate_that_keeps_starts_where_it_is_told(cell, bias):
    weights, _ = new_weights(cell, [0, 1], H, V, gate_bias=2.0)
    assert (weights.b + weights.b_h)[:, 0, H : 2 * H].unique().tolist() == [bias]


def test_a_plain_unit_has_no_gate():
    one, other = (new_weights("rnn", [0], H, V, gate_bias=bias)[0] for bias in (0.0, 2.0))
    assert torch.equal(one.b, other.b)


def test_each_model_is_clipped_by_its_own_length():
    weights, _ = new_weights("rnn", [0, 1, 2], H, V)
    for part in weights:
        part.requires_grad_()
        part.grad = torch.randn_like(part) * torch.tensor([0.01, 1.0, 5.0])[:, None, None]
    before = [part.grad.clone() for part in weights]
    lengths = training.clip_each(weights, 1.0)
    for row in range(3):
        alone = [nn.Parameter(torch.zeros_like(part[row])) for part in before]
        for part, grad in zip(alone, before, strict=True):
            part.grad = grad[row].clone()
        length = nn.utils.clip_grad_norm_(alone, 1.0)
        torch.testing.assert_close(lengths[row], length)
        for part, grad in zip(alone, weights, strict=True):
            torch.testing.assert_close(grad.grad[row], part.grad, rtol=1e-4, atol=1e-6)


def test_without_a_limit_nothing_is_clipped():
    trained = train("rnn", T, [0], **SMALL | dict(clip=math.inf))
    assert torch.equal(trained.losses, train("rnn", T, [0], **SMALL | dict(clip=1e9)).losses)


def test_the_gradient_at_both_ends_is_that_of_autograd():
    weights, (generator,) = new_weights("rnn", [3], H, V)
    symbols, targets = first_symbol(BATCH, T, V, generator)
    trained = train("rnn", T, [3], **SMALL | dict(updates=1))
    states, scores = read("rnn", with_gradients(weights), symbols[None])
    lengths = []
    for row in range(BATCH):  # one sequence at a time
        loss = nn.functional.cross_entropy(scores[0, row], targets[row])
        (first,) = torch.autograd.grad(loss, states[0], retain_graph=True)
        lengths.append(first.norm())
    torch.testing.assert_close(trained.first[0, 0], torch.stack(lengths).mean())
    assert trained.last[0, 0] > trained.first[0, 0]


def with_gradients(weights):
    return training.Weights(*(part.requires_grad_() for part in weights))


def test_what_is_watched_has_a_row_for_each_seed():
    trained = train("rnn", T, [0, 1], **SMALL)
    assert trained.updates.tolist() == [0, 5, 10, 15, 19]
    assert trained.losses.shape == trained.accuracies.shape == trained.first.shape == (2, 5)
    assert trained.norms.shape == (2, 20)


def test_one_step_is_learned_and_an_impossible_task_is_not():
    def coin(count, T, V, generator):
        symbols, _ = first_symbol(count, T, V, generator)
        return symbols, torch.randint(V, (count,), generator=generator)

    settings = dict(H=H, V=V, updates=150, rate=0.03, tests=500)
    assert train("rnn", 1, [0], **settings).accuracy > 0.99
    assert train("rnn", 1, [0], draw=coin, **settings).accuracy < 0.5
