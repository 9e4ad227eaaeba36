# %% [markdown]
# # Exercise 09: Gated units
#
# Twenty points, about 75 minutes, after lesson 09. The lesson wrote both gated units with their blocks in
# one fixed order and read batches without pads. Here you write what meets you outside: blocks in any order,
# rows that stand still, padded batches with two numbers to carry, the gradient along the cell of each row,
# and weights that move into PyTorch.
#
# | question | points |
# |---|---|
# | 1 `lstm_step` | 3 |
# | 2 `gru_step` | 3 |
# | 3 `lstm_forward` | 4 |
# | 4 `cell_line_gradient` | 3 |
# | 5 `gru_to_torch` | 3 |
# | 6 and 7, two questions to think about | 1 + 1 |
# | 8, a written answer | 2 |

# %% [markdown]
# ## How to work
#
# - Write each answer in the cell that is prepared for it, in place of `raise NotImplementedError()`. You may
#   add cells.
# - The cell below an answer runs the **visible checks**: a few open cases, with what was expected and what
#   came back. Run it as often as you like.
# - Grading runs your function again, on the visible cases and on fresh ones of the same kinds, with other
#   sizes and numbers. A function earns the share of its points that belongs to the fresh cases it passes.
#   Rounding in single precision (float32) is always accepted, and so are loops: only the values count.
# - Inputs are torch tensors, batch first, in float32 or float64. Some are not contiguous in memory: there
#   `reshape` works and `view` fails. Do not change an input in place; work on a clone.
# - Autograd, `torch.nn` and the functions of `course_utils.gated` may be used wherever they do what is
#   asked.
#
# $\sigma$ is the sigmoid, $\sigma(a) = 1 / (1 + e^{-a})$; $\odot$ multiplies number by number. Text counts
# steps from 1 to T, code from 0 to T - 1.

# %%
import torch
from torch import nn

from course_utils import gated
from course_utils.checks import check, check_answer

# %% [markdown]
# ## 1. Blocks in any order (3 points)
#
# A step of an LSTM, with the write gate i, the forget gate f, the candidate g and the read gate o:
#
# $$c_t = f \odot c_{t-1} + i \odot g, \qquad h_t = o \odot \tanh(c_t)$$
#
# Each of the four is computed from $W_x x_t + W_h h_{t-1} + b$; i, f and o are $\sigma$ of it, g is tanh.
# The weights of all four lie one under another, H rows for each, and libraries differ in the order. Write
# `lstm_step` for any order: a text of four letters, the block at the top first. PyTorch's is `"ifgo"`, that
# of a Stanford assignment (cs231n) `"ifog"`.
#
# By hand, with B = d = H = 1 and the order `"fogi"`: $x_t = 1$, h = 0, c = 2, b = 0 and $W_x$ with the rows
# $\ln 3,\ 2 \ln 3,\ \tfrac12 \ln 3,\ 0$. So f = 0.75, o = 0.9, g = 0.5 and i = 0.5, the new cell is
# $0.75 \cdot 2 + 0.5 \cdot 0.5 = 1.75$ and the new state $0.9 \tanh(1.75) = 0.847$.


# %% answer="lstm_step"
def lstm_step(x_t, h, c, W_x, W_h, b, order):
    """One step of an LSTM whose blocks stand in a given order.

    Parameters
    ----------
    x_t : (B, d) tensor, the inputs of this step.
    h, c : (B, H) tensors, states and cells before it.
    W_x, W_h, b : (4H, d), (4H, H) and (4H,) tensors, H rows for each block.
    order : text, the letters i, f, g, o in the order of the blocks, e.g. "ifog".

    Returns
    -------
    h, c : (B, H) tensors, states and cells after it.
    """
    ...


# %% check="lstm_step" points=3
check(lstm_step)

# %% [markdown]
# Try it: the weights of PyTorch's own cell, read in its order and in two others. Does a wrong order raise an
# error?

# %%
torch.manual_seed(1)
x_t, h, c, cell = torch.randn(2, 3), torch.randn(2, 4), torch.randn(2, 4), nn.LSTMCell(3, 4)
W_x, W_h, b_ih, b_hh = (part.detach() for part in cell.parameters())
for order in ("ifgo", "ifog", "figo"):
    new_h, _ = lstm_step(x_t, h, c, W_x, W_h, b_ih + b_hh, order)
    print(f"{order}: largest difference from PyTorch {(new_h - cell(x_t, (h, c))[0]).abs().max():.1e}")

# %% [markdown]
# ## 2. Rows that stand still (3 points)
#
# A step of the lecture's GRU, with the write gate z, the reset gate r and the candidate n. z *writes*, and
# the reset acts *before* the recurrent product:
#
# $$h_t = (1 - z) \odot h_{t-1} + z \odot n, \qquad
# n = \tanh\bigl(W_{xn} x_t + W_{hn} (r \odot h_{t-1}) + b_n\bigr),$$
#
# with $z = \sigma(W_{xz} x_t + W_{hz} h_{t-1} + b_z)$ and r likewise. Here the weights come in three triples
# $(W_x, W_h, b)$: write, reset, candidate. And a **mask** comes along, a truth value for each row of the
# batch: where it is False the row is over, and keeps the state that it has. Write `gru_step`.
#
# By hand, with d = H = 1 and two rows: $x_t = 1$ and h = 0.8; $x_t = 5$ and h = -0.4; the mask is (True,
# False). $W_{xz} = \ln 3$ and $W_{hn} = \tfrac12 \ln 3 / 0.4$, all other weights are 0. In the first row
# z = 0.75 and r = 0.5, the candidate is $\tanh(W_{hn} \cdot 0.5 \cdot 0.8) = \tanh(\tfrac12 \ln 3) = 0.5$,
# and the new state $0.25 \cdot 0.8 + 0.75 \cdot 0.5 = 0.575$. The second row stays at -0.4.


# %% answer="gru_step"
def gru_step(x_t, h, write, reset, candidate, mask):
    """One step of the lecture's GRU for those rows that the mask names.

    Parameters
    ----------
    x_t : (B, d) tensor, the inputs of this step.
    h : (B, H) tensor, the states before it.
    write, reset, candidate : triples (W_x, W_h, b) of shapes (H, d), (H, H) and (H,).
    mask : (B,) tensor of truth values, True where a row takes the step.

    Returns
    -------
    (B, H) tensor, the states after it; those of the other rows as they were.
    """
    ...


# %% check="gru_step" points=3
check(gru_step)

# %% [markdown]
# Try it: three rows of two, five and four steps. Each column should stop changing when its row is over.

# %%
generator = torch.Generator().manual_seed(2)
x, h = torch.randn(3, 5, 2, generator=generator), torch.zeros(3, 4)
maps = [[torch.randn(size, generator=generator) for size in [(4, 2), (4, 4), (4,)]] for _ in range(3)]
for t in range(5):
    h = gru_step(x[:, t], h, *maps, t < torch.tensor([2, 5, 4]))
    print(f"after step {t + 1}, first unit of each row:", h[:, 0].numpy().round(3))

# %% [markdown]
# ## 3. An LSTM over a padded batch (4 points)
#
# An LSTM carries two numbers for each unit, and both have to stand still when a row is over. Write
# `lstm_forward`: it reads a batch and returns the states and the cells after every step. After its length a
# row repeats its last state **and** its last cell; a row of length 0 stays at `h0` and `c0` throughout. What
# stands in the pads has no part. The blocks are in PyTorch's order, i, f, g, o.
#
# By hand, with d = H = 1 and two rows of lengths 3 and 1, inputs (1, 0, 1) and (1, pad, pad), from
# h = c = 0. $W_x = (0, 0, \tfrac12 \ln 3, 0)$, $b = (0, \ln 3, 0, 0)$ and $W_h = 0$: then i = o = 0.5 and
# f = 0.75 at every step, and g is 0.5 where the input is 1, 0 where it is 0.
#
# | | after step 1 | after step 2 | after step 3 |
# |---|---|---|---|
# | first row, c | 0.5 · 0.5 = 0.25 | 0.75 · 0.25 = 0.1875 | 0.75 · 0.1875 + 0.25 = 0.3906 |
# | first row, h = 0.5 tanh(c) | 0.1225 | 0.0927 | 0.1859 |
# | second row, c | 0.25 | 0.25 | 0.25 |
# | second row, h | 0.1225 | 0.1225 | 0.1225 |


# %% answer="lstm_forward"
def lstm_forward(x, lengths, W_x, W_h, b, h0, c0):
    """Read a padded batch with an LSTM; a row that is over stands still.

    Parameters
    ----------
    x : (B, T, d) tensor, the inputs, padded at the end; T >= 1.
    lengths : (B,) tensor of whole numbers from 0 to T, the real steps of each row.
    W_x, W_h, b : (4H, d), (4H, H) and (4H,) tensors, blocks i, f, g, o.
    h0, c0 : (B, H) tensors, states and cells before the first step.

    Returns
    -------
    states, cells : (B, T, H) tensors, after every step; from the length of a row on the last ones again.
    """
    ...


# %% check="lstm_forward" points=4
check(lstm_forward)

# %% [markdown]
# Try it: PyTorch packs the same batch and gives the last state and cell of each row. Do yours agree, at the
# end of the *padded* batch?

# %%
torch.manual_seed(3)
lstm, x, lengths = nn.LSTM(2, 4, batch_first=True), torch.randn(3, 6, 2), torch.tensor([6, 2, 3])
W_x, W_h, b_ih, b_hh = (part.detach() for part in lstm.parameters())
states, cells = lstm_forward(x, lengths, W_x, W_h, b_ih + b_hh, torch.zeros(3, 4), torch.zeros(3, 4))
packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
for name, mine, theirs in zip(("state", "cell"), (states, cells), lstm(packed)[1], strict=True):
    print(f"{name}: largest difference {(mine[:, -1] - theirs[0]).abs().max():.1e}")

# %% [markdown]
# ## 4. Back along the cell (3 points)
#
# Along the cell alone, $c_T$ depends on $c_s$ by the product of all forget gates between them, for each unit
# on its own. In a padded batch each row has its own last cell. With $\ell$ for the length of a row,
#
# $$\frac{dc_\ell}{dc_s} = f_{s+1} \odot f_{s+2} \odot \dots \odot f_\ell \quad (s < \ell), \qquad
# \frac{dc_\ell}{dc_\ell} = 1, \qquad \frac{dc_\ell}{dc_s} = 0 \quad (s > \ell)$$
#
# Write `cell_line_gradient`, which returns these for all s = 1, ..., T. The gates are given; what stands
# behind the length of a row are the gates of pads. A gate may be 0: do not divide one product by another.
#
# By hand, H = 1, gates (0.25, 0.5, 0.8, 0.5) in two rows, of the lengths 4 and 2:
#
# | | s = 1 | s = 2 | s = 3 | s = 4 |
# |---|---|---|---|---|
# | length 4 | 0.5 · 0.8 · 0.5 = 0.2 | 0.8 · 0.5 = 0.4 | 0.5 | 1 |
# | length 2 | 0.5 | 1 | 0 | 0 |


# %% answer="cell_line_gradient"
def cell_line_gradient(f, lengths):
    """The gradient of the last cell of each row with respect to each of its cells, along the cell alone.

    Parameters
    ----------
    f : (B, T, H) tensor, the forget gates, from 0 to 1.
    lengths : (B,) tensor of whole numbers from 0 to T, the real steps of each row.

    Returns
    -------
    (B, T, H) tensor; [n, s - 1] is dc_l/dc_s with l the length of row n, and 0 for s > l.
    """
    ...


# %% check="cell_line_gradient" points=3
check(cell_line_gradient)

# %% [markdown]
# Try it: 50 gates at 0.95; then one of them at 0, in the middle. What is left at s = 40, at s = 10?

# %%
f = torch.full((2, 50, 1), 0.95)
f[1, 29] = 0.0
line = cell_line_gradient(f, torch.tensor([50, 50]))
for s in (40, 10):
    print(f"s = {s}:", line[:, s - 1, 0].numpy().round(3))

# %% [markdown]
# ## 5. Weights for PyTorch (3 points)
#
# Another library has a GRU whose z writes, as in the lecture, but whose reset acts *after* the recurrent
# product, as in PyTorch, with a bias $b_{hn}$ inside that product:
#
# $$h_t = (1 - z) \odot h_{t-1} + z \odot n, \qquad
# n = \tanh\bigl(W_{xn} x_t + b_n + r \odot (W_{hn} h_{t-1} + b_{hn})\bigr)$$
#
# Write `gru_to_torch`, which makes the four weights of an `nn.GRU` that gives the same states.
#
# - PyTorch stacks the blocks reset, update, candidate, one under another. Its update gate is a z that
#   *keeps*: $h_t = (1 - z) \odot n + z \odot h_{t-1}$.
# - It has two biases. Inside r and z only their sum counts, so let the first, `bias_ih`, hold all of b, and
#   the second, `bias_hh`, zeros wherever it may: there is one right answer then.
#
# By hand, with d = H = 1, write (1, 2, 3), reset (4, 5, 6), candidate (7, 8, 9) and $b_{hn} = 10$: the four
# are (4, -1, 7), (5, -2, 8), (6, -3, 9) and (0, 0, 10).


# %% answer="gru_to_torch"
def gru_to_torch(write, reset, candidate, b_hn):
    """The weights of ``nn.GRU`` for a GRU whose z writes and whose reset acts after the product.

    Parameters
    ----------
    write, reset, candidate : triples (W_x, W_h, b) of shapes (H, d), (H, H) and (H,).
    b_hn : (H,) tensor, the bias inside the reset product.

    Returns
    -------
    weight_ih, weight_hh, bias_ih, bias_hh : tensors (3H, d), (3H, H), (3H,) and (3H,).
    """
    ...


# %% check="gru_to_torch" points=3
check(gru_to_torch)

# %% [markdown]
# Try it: for one unit, and $b_{hn} = 0$, it does not matter where the reset acts, so PyTorch with your
# weights should read a batch as the lesson's GRU does. Does it for three units?

# %%
generator = torch.Generator().manual_seed(5)
x = torch.randn(2, 6, 4, generator=generator)
for H in (1, 3):
    sizes = [(H, 4), (H, H), (H,)]
    write, reset, candidate = ([torch.randn(size, generator=generator) for size in sizes] for _ in range(3))
    ours = gated.gru_states(gated.gru_step, x, *map(torch.cat, zip(reset, write, candidate, strict=True)))
    gru = nn.GRU(4, H, batch_first=True)
    weights = gru_to_torch(write, reset, candidate, torch.zeros(H))
    gru.load_state_dict(dict(zip(gru.state_dict(), weights, strict=True)))
    print(f"H = {H}: largest difference {(gru(x)[0] - ours).abs().max():.1e}")

# %% [markdown]
# ## 6. A bias for twenty steps (1 point)
#
# A forget gate does not listen to anything: it is $\sigma(\text{bias})$ at every step. Which bias <<asked>>?
# Answer with a number, to two digits after the point.

# %% answer="bias_for_twenty_steps"
bias_for_twenty_steps = ...

# %% check="bias_for_twenty_steps" points=1
check_answer("bias_for_twenty_steps", bias_for_twenty_steps)

# %% [markdown]
# ## 7. A shut gate (1 point)
#
# In an LSTM, no weight of which is 0, the forget gates of step 30 are exactly 0; all other gates stand
# between 0 and 1. A loss reads $h_{50}$. What of its gradient arrives at $c_{10}$?
#
# - **a** nothing: every way back passes a gate that is 0
# - **b** nothing along the cell, but in general something by other ways
# - **c** as much as if the gate were open: gates change values, not gradients
# - **d** that is not defined: the gradient contains 0 / 0
#
# Answer with a letter in quotes. The visible check looks at the form only; whether it is right, and why, is
# said after grading.

# %% answer="a_shut_gate"
a_shut_gate = ...

# %% check="a_shut_gate" points=1
check_answer("a_shut_gate", a_shut_gate)

# %% [markdown]
# ## 8. A memory of eighty steps (2 points)
#
# A colleague needs a memory of 80 steps and trains an LSTM and a GRU as PyTorch starts them, three runs
# each. One run of the LSTM learns the task, none of the GRU. Of the run that learned she plots the forget
# gate. Her report:
#
# "The LSTM is better at long memories than the GRU. That is no wonder: along its cell the gradient is 1,
# while the GRU has no cell. In the trained LSTM the forget gate is 0.97 on average, so it holds the value
# for 80 steps."
#
# What is wrong with her comparison, with her reason, and with what she reads from the plot? What should she
# change before she trains again? Answer in the cell below in five to ten sentences, with numbers. A person
# reads and marks this answer.

# %% [markdown] written="memory_report" points=2
# One of three and none of three show nothing: by Wilson's interval the first is compatible with true shares
# from 0.06 to 0.79, the second with 0 to 0.56. She needs more runs of each, ten or more, and should report
# shares with their intervals.
#
# Along the cell the gradient is not 1 but the product of the forget gates. As PyTorch starts them they stand
# near 0.5, and $0.5^{80}$ is about $10^{-24}$. The GRU has such a line, too: its state is carried on with
# the factor $1 - z$ a step, also near 0.5 at the start. There is no difference here from which the LSTM
# would have to win.
#
# A gate of 0.97 at every step would leave $0.97^{80} = 0.09$. And an average says little about a product: a
# single step near 0 clears the cell, and units differ. She should look at the product over the 80 steps for
# each unit, and at the write gate: perhaps the unit does not hold the value at all but writes it again and
# again.
#
# Before training she should start the gates open: a forget bias near $\ln 80 = 4.4$ in the LSTM, and in a
# GRU whose z writes a bias of z near -4.4 (in PyTorch's, where z keeps, +4.4).
