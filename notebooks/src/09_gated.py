# %% [markdown]
# # 09 Gated units
#
# **Can the network set the pole itself?**
#
# After this lesson you can
#
# - build an LSTM gate by gate, say for each gate what fails without it, and write the GRU in both of its
#   forms;
# - name the ways a gradient takes back through a cell, measure each, and say what a forget bias buys;
# - give a share of successful runs with its interval, and look into a trained unit before you believe a
#   story about its gates.
#
# 115 minutes, best in two sittings: a good place for a break is before *Recall again*. You need the pole of
# lesson 02, the loop of lesson 05, and from lesson 07 the factor a step and the recall task.

# %% id="imports"
from functools import partial

import numpy as np
import torch
from torch import nn

from course_utils import gated, plots, widgets_gated
from course_utils.bridge import four_lines
from course_utils.cells import rnn_forward
from course_utils.checks import claim, concept_check
from course_utils.conventions import lstm_from_torch, lstm_to_torch, reset_after_gru_to_torch
from course_utils.costs import fastest
from course_utils.filters import horizon, one_pole
from course_utils.gate_tasks import MARKS, VOCABULARY, agreement, echo, symbols_of
from course_utils.gated import lstm_trace
from course_utils.intervals import wilson
from course_utils.modes import free_run, lengths  # noqa: F401 (four_lines, shown at the end, uses them)
from course_utils.records import runs
from course_utils.training import accuracy_of, train

# %% id="settings"
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)  # the products are too small to share
rng = torch.Generator().manual_seed(9)

# %% [markdown]
# ## Add instead of replace
#
# The plain unit **replaces** its state at every step: the old one goes through a matrix and a tanh, and the
# gradient pays for both. Lesson 08 brought this factor closer to 1. Here it *is* 1. Keep a number $c$, the
# **cell**, and only add to it:
#
# $$c_t = c_{t-1} + \Delta_t$$
#
# **Predict.** Start at 0; the additions are 0.5, $-0.2$, 0.1. What is $c_3$? By how much does $c_{1000}$
# change when $c_0$ is moved by 1? And where is $c_{1000}$ when every addition is 0.5?

# %% id="add"
print("c_1, c_2, c_3:", torch.cumsum(torch.tensor([0.5, -0.2, 0.1]), dim=0).tolist())
agree = []
for T in [10, 100, 1000]:
    start = torch.zeros((), requires_grad=True)
    end = start + torch.randn(T, generator=rng).sum()
    agree.append(torch.autograd.grad(end, start)[0].item() == 1)
grown = torch.full((1000,), 0.5).cumsum(dim=0)
agree += [grown[-1].item() == 500, bool((grown.diff() > 0).all())]
claim("gated.additive_identity", agree)

# %% [markdown]
# The derivative is 1 over any distance, exactly. This is the pole at $\alpha = 1$ of lesson 02: nothing is
# lost, and nothing ever leaves. Suppose 0.8 is to be kept from step 1 on, and at step 31 *replaced* by 0.5:

# %% id="never-lets-go"
news = torch.zeros(60)
news[0], news[30] = 0.8, 0.5
print("wanted after step 31: 0.5, held:", round(news.cumsum(dim=0)[-1].item(), 2))

# %% [markdown]
# ## Forget
#
# So the old value gets a factor between 0 and 1 that is set anew at every step, the **forget gate** $f_t$.
# (It is named after what it does at 0; at 1 it keeps.)
#
# $$c_t = f_t\, c_{t-1} + \Delta_t$$
#
# A gate that never changes is the pole of lesson 02. **This is a filter whose pole the network moves.**
#
# The next function has one more factor, `write`; until the next section it is 1.

# %% shows="course_utils.gated.gated_line" id="the-line"

# %% [markdown]
# **Predict.** The same two values come, and the gate is at 1 except at one step. Which step, and what must
# it be there? What does a pole fixed at 0.9 hold in the end?

# %% id="forget-figure"
f = torch.ones(60)
f[30] = 0.0
kept = [gated.gated_line(news, keep, 1.0) for keep in (1.0, 0.9, f)]
ax = plots.cell_values(kept, ["never forgets", "always 0.9", "gate shut at step 31"], news)
plots.show(ax, "The same inputs under three forget gates: which of them holds 0.5 at the end?")
print("after 60 steps:", [round(row[-1].item(), 3) for row in kept])
assert np.allclose(kept[1], one_pole(news, 0.9, 1.0))

# %% [markdown]
# Zero, at the step at which the new value comes. A fixed gate has lesson 02's horizon, $-1/\ln f$ steps to
# $1/e$ (lessons 07 and 08: to $10^{-6}$). The lecture's number for a gate that stays at 0.99:

# %% id="gate-099"
claim("gated.gate_099_100", gated.gated_line(torch.zeros(100), keep=0.99, write=0.0, start=1.0)[-1].item())

# %% [markdown]
# ## Write
#
# The next trouble: a network computes a **candidate** $g_t = \tanh(\dots)$ from whatever comes in, so
# something is *offered* at every step. Without a further gate all of it is added.
#
# **Predict.** A 1 is held with $f = 1$, then noise between $-1$ and 1 is offered for 200 steps. How far
# from 1 is the cell in the end, about: 0.1, 1, 10?

# %% id="write-figure"
noise = 2 * torch.rand(1000, 200, generator=rng) - 1
rows = [gated.gated_line(noise[8], 1.0, write, start=1.0) for write in (1.0, 0.1, 0.0)]
ax = plots.cell_values(rows, ["i = 1", "i = 0.1", "i = 0"])
plots.show(ax, "A held 1 under noise, behind a write gate that is open, a tenth open, or shut.")
print(f"1000 such rows: the noise adds up to {noise.sum(dim=1).std():.1f} (standard deviation)")

# %% [markdown]
# <details><summary>About 10</summary>
#
# Independent additions of standard deviation 0.58 add up like a random walk, to about
# $0.58 \sqrt{200} = 8$. One run may end nearer or farther.
#
# </details>
#
# Could the candidate not be 0 by itself when nothing is to be kept? Say a value is $\pm 1$, a *mark*, 0 or
# 1, tells whether to keep it, and the candidate is
# $\tanh(w_1 \cdot \text{value} + w_2 \cdot \text{mark} + b)$. Without a mark it must be 0, so $w_1 + b = 0$
# and $-w_1 + b = 0$. Then $w_1 = 0$, and the value has no say at all. "This value, but only if marked" is a
# **product**, and a tanh of a sum makes none. So how much is written is a number of its own, the **write
# gate** $i_t$ (papers call it *input gate*):
#
# $$c_t = f_t\, c_{t-1} + i_t\, g_t$$
#
# ## Two gates by hand
#
# A 1 was written, then noise is offered. You set the bias of the forget gate, $f = \sigma(\text{bias})$
# with the **sigmoid** $\sigma(a) = 1/(1 + e^{-a})$, and how far the write gate stays open. (Needs a running
# kernel; the figures above make the same points.)
#
# **Predict, then move.** Which bias keeps half of the 1 for 100 steps? How much is left at a bias of 1, and
# at 2? With the forget bias at 8, how far may the write gate open before the noise is as large as the 1?

# %% id="gate-dial"
widgets_gated.gate_dial()

# %% [markdown]
# <details><summary>Answers</summary>
#
# A bias of 5 ($f = 0.9933$) keeps 0.51. At 1 it is $2 \cdot 10^{-14}$, at 2 it is $3 \cdot 10^{-6}$: a gate
# of 0.88 looks open and has a horizon of 8 steps. With a bias of 8 hardly any noise is lost, either: at a
# write gate of 0.05 it adds a third of the 1, at 0.15 as much as the 1. A forgetful cell does not have this
# trouble: it loses the noise as fast as the 1.
#
# </details>

# %% [markdown]
# **Check yourself.** Of 100 forget gates in a row one is 0.5 and all others are 0.99. What is left of the
# value?
#
# - **a** 0.37, one step in a hundred hardly counts
# - **b** 0.18
# - **c** 0.5, the smallest gate decides

# %% id="concept-product"
concept_check("09.product", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. One step multiplies everything that came before.
#
# </details>
#
# ## Read
#
# A cell holds a value for a hundred steps, but only the last one needs it. Without a further gate all units
# read it all the time. Say the output is to be 0 before step 100, and there the held value 1.
#
# **Predict.** The held 1 is read with one weight for all steps, as close to this as possible on the whole.
# What comes out at step 100?

# %% id="read"
wanted = torch.zeros(100)
wanted[-1] = 1.0
held, o = torch.ones(100), wanted
best = held * (held @ wanted) / (held @ held)  # the best fixed weight on what is held
print(f"fixed weight: {best[-1].item():.2f} at the end; read gate: {(o * held)[-1].item():.2f}")

# %% [markdown]
# A weight makes it larger or smaller at all steps alike; only a factor that changes can be 0 first and 1
# later. That is the **read gate** $o_t$ (*output gate*). The state $h_t$ will go into the gates of *all*
# units, and a cell that has grown to 500 must not drown the others: it passes through a tanh.
#
# $$h_t = o_t \tanh(c_t)$$

# %% [markdown]
# ## The LSTM
#
# Who sets the gates? The unit itself, from its input and its last state: each gate is $\sigma$ of
# $W_x x_t + W_h h_{t-1} + b$ with weights of its own. With the candidate that makes four such maps; their
# weights lie one under another, $H$ rows each.
#
# | block | what it is | papers | range |
# |---|---|---|---|
# | $i_t$ | write gate | input gate | 0 to 1 |
# | $f_t$ | forget gate | forget gate | 0 to 1 |
# | $g_t$ | candidate | $\tilde c_t$, cell input | $-1$ to 1 |
# | $o_t$ | read gate | output gate | 0 to 1 |

# %% shows="course_utils.gated.lstm_gates" id="the-gates"

# %% shows="course_utils.gated.lstm_step" id="the-step"

# %% [markdown]
# Two numbers are carried for each unit now, $h$ and $c$. Is this the LSTM of PyTorch? `lstm_from_torch`
# reads the weights of an `nn.LSTM`; `lstm_trace` runs the step over a batch and keeps all gates.
#
# **Predict.** How many parameters do four maps from $d$ inputs and $H$ states have?

# %% id="equal-to-torch"
B, T, d, H = 3, 20, 5, 7
torch.manual_seed(9)
theirs = nn.LSTM(d, H, batch_first=True)
W_x, W_h, b = lstm_from_torch(theirs.state_dict())
x = torch.randn(B, T, d, generator=rng)
assert torch.allclose(lstm_trace(x, W_x, W_h, b).h, theirs(x)[0], rtol=0, atol=1e-12)
claim("gated.lstm_parameters", W_x.numel() + W_h.numel() + b.numel(), stated=4 * H * (H + d + 1))
print("PyTorch counts a second bias:", sum(part.numel() for part in theirs.parameters()))

# %% [markdown]
# The order of the blocks means nothing, and libraries differ in it. **Predict.** You load weights in which
# write and forget have changed places. What does PyTorch say?

# %% id="wrong-order"
swapped = [torch.cat([part[H : 2 * H], part[:H], part[2 * H :]]) for part in (W_x, W_h, b)]
other = nn.LSTM(d, H, batch_first=True)
print(other.load_state_dict(lstm_to_torch(*swapped)))
print("largest difference of the states:", round((other(x)[0] - theirs(x)[0]).abs().max().item(), 3))

# %% [markdown]
# No complaint, for the shapes fit. Whenever weights move between libraries, compare the states of one
# batch, as above.
#
# Two limits. With $f = 0$ and $i = 1$ the cell is replaced, $c_t = \tanh(W_{xh} x_t + W_{hh} h_{t-1} + b)$,
# as in the plain unit; with $f = 1$ and $i = 0$ it does not move. We set the gates by huge biases.


# %% id="limits"
def with_gates(write, forget):
    """The weights above with write and forget gates that do not listen, at 0 or 1."""
    parts = [part.clone() for part in (W_x, W_h, b)]
    parts[0][: 2 * H] = parts[1][: 2 * H] = 0
    parts[2][:H], parts[2][H : 2 * H] = 1000 * (2 * write - 1), 1000 * (2 * forget - 1)
    return parts


h, c = torch.randn(2, B, H, generator=rng)
row = slice(2 * H, 3 * H)  # the candidate's rows
plain = rnn_forward(x[:, :1], W_x[row], W_h[row], b[row], h)[:, 0]
replaced = gated.lstm_step(x[:, 0], h, c, *with_gates(write=1, forget=0))[1]
constant = gated.lstm_step(x[:, 0], h, c, *with_gates(write=0, forget=1))[1]
claim("gated.limits", [torch.allclose(replaced, plain, atol=1e-12), torch.equal(constant, c)])

# %% [markdown]
# ## The GRU
#
# Two carried numbers and four maps: can it be had for less? The GRU of the lecture carries one number, $h$,
# and couples two gates: it forgets as much as it writes.
#
# $$h_t = (1 - z_t)\, h_{t-1} + z_t\, n_t, \qquad
# n_t = \tanh\bigl(W_{xn} x_t + W_{hn} (r_t \odot h_{t-1}) + b_n\bigr)$$
#
# $z_t$ is a **write gate**; the **reset gate** $r_t$ says how much of the old state the candidate may look
# at. There is no read gate: the state is always seen. ($\odot$ multiplies number by number.)

# %% shows="course_utils.gated.gru_step" id="the-gru"

# %% [markdown]
# **Predict.** What share of the LSTM's parameters does it have? Can its state grow to 500?

# %% id="gru-claims"
W_x, W_h, b = (torch.randn(3 * H, n, generator=rng) / 2 for n in (d, H, 1))
b = b[:, 0]
three, four = (blocks * H * (H + d + 1) for blocks in (3, 4))
assert three == W_x.numel() + W_h.numel() + b.numel()
claim("gated.gru_parameters", three / four)
states = gated.gru_states(gated.gru_step, torch.randn(B, 1000, d, generator=rng), W_x, W_h, b)
claim("gated.gru_convex", (states.abs() < 1).all().item())
print(f"largest size in 1000 steps: 1 - {1 - states.abs().max().item():.0e}")

# %% [markdown]
# The new state lies *between* the old one and a tanh, so from a start in $(-1, 1)$ it never leaves that
# range. The GRU cannot count as the LSTM's cell can.
#
# PyTorch's GRU is another one. There $z$ **keeps**, and the reset acts **after** the recurrent product:
#
# $$h_t = (1 - z_t)\, n_t + z_t\, h_{t-1}, \qquad
# n_t = \tanh\bigl(W_{xn} x_t + b_n + r_t \odot (W_{hn} h_{t-1} + b_{hn})\bigr)$$
#
# The first difference is one of name, $z$ for $1 - z$. Is the second more?
#
# **Predict.** We give both forms the same weights (for $z$ with the other sign, and $b_{hn} = 0$). Do the
# states agree for $H = 1$? For $H = 7$?

# %% id="two-forms"
far, near = [], []
for size, found in [(1, near), (7, far)]:
    shapes = [(3 * size, d), (3 * size, size), (3 * size,)]
    ours = [torch.randn(*shape, generator=rng) for shape in shapes]
    weights = [part.clone() for part in ours]
    for part in weights:
        part[size : 2 * size] *= -1  # z keeps: 1 - sigma(a) = sigma(-a)
    after = gated.gru_states(gated.gru_step_reset_after, x, *weights, torch.zeros(size))
    found.append((gated.gru_states(gated.gru_step, x, *ours) - after).abs().max().item())
    print(f"H = {size}: largest difference of the states {found[0]:.1e}")

# %% [markdown]
# With one unit they agree: $r$ is one number, and it does not matter whether it multiplies before or after.
# With more, $W_{hn}(r \odot h)$ scales the *columns* of $W_{hn}$, $r \odot (W_{hn} h)$ its rows: another
# function. Weights trained in one form are of no use in the other. Our loop with the reset after the
# product, against PyTorch:

# %% id="reset-after"
b_hn = torch.randn(size, generator=rng)
gru = nn.GRU(d, size, batch_first=True)
gru.load_state_dict(reset_after_gru_to_torch(*weights, b_hn))
same = (gated.gru_states(gated.gru_step_reset_after, x, *weights, b_hn) - gru(x)[0]).abs().max().item()
claim("gated.gru_forms_differ", [near[0] < 1e-12, far[0] > 0.01, same < 1e-12])

# %% [markdown]
# From here on GRU means the lecture's. `docs/conventions.md` lists who uses which.
#
# **Check yourself.** You port a GRU from PyTorch to a library in which $z$ writes and the reset acts after
# the product. What has to be done?
#
# - **a** nothing, the shapes fit
# - **b** change the sign of the $z$ rows of all weights and biases
# - **c** train it again

# %% id="concept-forms"
concept_check("09.forms", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. $1 - \sigma(a) = \sigma(-a)$. Only the place of the reset would need a new training.
#
# </details>
#
# ## Back along the cell
#
# Back to the LSTM. A gradient can go from $c_T$ to $c_s$ along the cell; each step multiplies it by the
# forget gate, for each unit alone:
#
# $$\frac{dc_T}{dc_s} = \operatorname{diag}\bigl(f_{s+1} \odot \dots \odot f_T\bigr) \quad
# \text{along the cell}$$
#
# No weight and no slope of a tanh stands in it. But there are other ways: $c_s$ sets $h_s$, which goes into
# the gates and the candidate of step $s + 1$. `cell_jacobians` gives $dc_T/dc_s$ for all $s$ by autograd;
# with `cut=True` the gates read a copy of $h$ without history, and only the way along the cell is left. As
# the size of a matrix we take the root of the sum of its squared numbers.
#
# **Predict.** 16 units as PyTorch draws them, forget bias 1, 60 steps of noise. The forget gates stand near
# 0.73. Which carries more, the cell or all other ways together, over one step? Over 50?

# %% id="two-ways"
d, H, T = 4, 16, 60
torch.manual_seed(9)
W_x, W_h, b = lstm_from_torch(nn.LSTM(d, H).state_dict())
b[H : 2 * H] = 1.0
x = torch.randn(T, d, generator=rng)
whole, line = (
    gated.cell_jacobians(x, W_x, W_h, b),
    gated.cell_jacobians(x, W_x, W_h, b, cut=True),
)  # (T, H, H)
size = {name: J.norm(dim=(1, 2)) for name, J in [("all", whole), ("line", line), ("others", whole - line)]}

# %% id="two-ways-figure"
ax = plots.two_ways(size["line"], size["all"], size["others"])
plots.show(ax, "How the gradient falls with the steps between: all ways, the cell alone, all others.")
for name, row in size.items():
    at = {lag: row[-1 - lag].item() for lag in (1, 10, 50)}
    print(f"{name:6}", *(f"{lag} steps: {value:.2g}," for lag, value in at.items()), end=" ")
    print(f"factor a step from 10 to 50: {(at[50] / at[10]) ** (1 / 40):.3f}")

# %% [markdown]
# Over one step the cell carries nearly all, over ten steps less than the other ways, over fifty a sixth of
# what they carry. The ways through the gates are many and add up: with them a step is a *matrix* again,
# with a somewhat larger factor. So "the gradient of an LSTM is the product of its forget gates" tells the
# **sure** part of the gradient, the one without a matrix and without a tanh. It is not the whole.

# %% id="cell-line-claim"
forget = lstm_trace(x[None], W_x, W_h, b).f[0]  # (T, H)
products = [torch.diag(forget[s + 1 :].prod(dim=0)) for s in range(T)]
agree = [torch.allclose(cut, product, rtol=1e-10) for cut, product in zip(line, products, strict=True)]
agree += [torch.equal(size["others"][-1], torch.zeros(())), (size["others"][:-1] > 0).all().item()]
claim("gated.cell_line_product", agree)

# %% [markdown]
# ## What a forget bias buys
#
# A fresh network has small weights, so its gates stand near $\sigma(\text{bias})$. PyTorch draws the biases
# around 0.

# %% id="bias-claims"
for bias, name in [(1.0, "gated.sigmoid_1"), (2.0, "gated.sigmoid_2")]:
    gates = lstm_trace(x[None], 0 * W_x, 0 * W_h, torch.full_like(b, bias)).f
    claim(name, gates.mean().item())
    print(f"   horizon {horizon(gates.mean().item()):.1f} steps, across 49 steps {gates.mean() ** 49:.1e}")

# %% [markdown]
# How much of the gradient of a loss after step 50 reaches step 1 before any training, on the recall task of
# lesson 07 (name the first of $T$ symbols, eight kinds)? **Predict** the ratio between bias 0 and bias 2,
# from $0.5^{49}$ and $0.88^{49}$.

# %% id="first-gradients"
torch.set_default_dtype(torch.float32)  # models are trained in float32
for cell, bias in [("rnn", 0.0), ("lstm", 0.0), ("lstm", 1.0), ("lstm", 2.0), ("gru", 0.0), ("gru", 2.0)]:
    start = train(cell, 50, [0, 1, 2], gate_bias=bias, updates=1, tests=1)
    print(f"{cell:4} bias {bias:.0f}: gradient at h_1 {start.first.mean():.0e}")

# %% [markdown]
# Eight orders of magnitude, for one number at the start. (The two powers promise twelve: at bias 0 nearly
# all that arrives comes by the other ways.) A gate at its default is hardly better than the plain unit:
# **the gates do not help by being there, but by being open.** For the GRU the write gate $z$ has to be
# nearly *shut*, so its bias starts at $-2$; the table and the figures call this bias 2, too.
#
# The price: a unit that forgets little keeps the noise, too.
#
# ## Recall again
#
# First ten steps, trained here: 32 units, forget bias 2, three seeds, Adam at $3 \cdot 10^{-3}$ and batches
# of 64 as in lesson 07, but only 300 of its 1500 updates.

# %% id="train-recall" tags=["nbval-ignore-output"]
short = train("lstm", 10, [0, 1, 2], gate_bias=2.0, updates=300)
print("T = 10, accuracy on 2000 fresh rows:", short.accuracy.tolist())
assert (short.accuracy > 0.99).all()

# %% [markdown]
# Longer rows take minutes and are *recorded*: `runs` reads them from `data/`, where each file holds the
# command that repeats it.
#
# **Predict.** The plain unit lost recall between 10 and 20 steps. Where does the LSTM lose it?

# %% id="recall-figure"
scores = {}
for cell, bias in [("rnn", 0.0), ("gru", 0.0), ("lstm", 2.0)]:
    found = runs("recall", cell=cell, gate_bias=bias)
    scores[cell.upper()] = {run["T"]: run["accuracy"] for run in found if run["T"] < 50}
ax = plots.recall_by_distance(scores, chance=1 / 8)
plots.show(ax, "A mark is a run: at which length does each cell lose recall?")

# %% id="recall-20"
claim("gated.lstm_recall_20", [acc for T in (5, 10, 15, 20) for acc in scores["LSTM"][T][:3]])

# %% [markdown]
# The LSTM (forget bias 2) is right on all rows at 20 steps; at 30 some runs learn and some do not. The GRU
# at its default start is right on all rows at 15 steps and at chance at 20, in all eight runs: its gates
# begin half open, and a state that is halved at every step is soon nothing.
#
# And at 50? The lecture reports three seeds: two reach 100 %.
#
# **Predict.** With these three in mind, how many of sixteen runs do you expect to learn it? Which counts
# would surprise you?
#
# Two of three is a guess from few draws. *Wilson's interval* holds the true shares that a count is
# compatible with, at 95 per cent:

# %% id="interval"
print("2 of 3: between", [round(end, 2) for end in wilson(2, 3)])

# %% [markdown]
# That is almost any share. So here are more runs, from several starts. A run has *learned* when its
# accuracy is above 0.95.

# %% id="shares-figure"
counts = {"LSTM, lecture": (2, 3)}
order = ("updates", "cell", "gate_bias")
for run in sorted(runs("recall", T=50) + runs("starts"), key=lambda run: [run[part] for part in order]):
    start = f", bias {run['gate_bias']:.0f}" if run["cell"] != "rnn" else ""
    longer = f", {run['updates']} updates" if run["updates"] > 1500 else ""
    won = sum(value > 0.95 for value in run["accuracy"])
    counts[run["cell"].upper() + start + longer] = won, len(run["accuracy"])
ax = plots.shares(counts)
plots.show(ax, "Share of runs that learn recall at T = 50, each with its interval of 95 per cent.")

# %% id="recall-50"
won, of = counts["LSTM, bias 2"]
low, high = wilson(won, of)
print(f"LSTM, forget bias 2: {won} of {of} runs, {won / of:.2f}, interval {low:.2f} to {high:.2f}")
claim("gated.lstm_recall_50", won / of)

# %% [markdown]
# Two of three and 7 of 16 do not contradict each other. But three runs could not have told "between a
# quarter and two thirds". An LSTM *can* learn this distance, and does so in a part of the runs. **Trainable
# is not trained.**
#
# Compare the starts. With forget bias 0 the LSTM learns in none of twelve runs, with 1 in none of twelve.
# The GRU at its default: none of twelve; with one number changed, so that $z$ begins near
# $\sigma(-2) = 0.12$, **all twelve**. The intervals 0 to 0.24 and 0.76 to 1 do not touch: that is a
# difference. Gates that begin half open are not even ahead of the plain unit's 1 of 8. Where two intervals
# overlap widely, as those of our LSTM and of the lecture's do, no difference is shown.
#
# ## What did the others learn?
#
# Of eight runs of the LSTM at $T = 30$ and eight at $T = 50$ it is recorded what they name for each first
# symbol.
#
# **Predict.** A run ends at an accuracy of 0.88. Is it right about each symbol nine times in ten? And a run
# at 1/8: does it guess at random?

# %% id="failures-figure"
at_30, at_50 = runs("confusions", T=30)[0], runs("confusions", T=50)[0]
for run in (at_30, at_50):
    print(f"T = {run['T']}:", *(f"{value:.2f}" for value in run["accuracy"]))
shown = zip(plots.panels(3, width=3.3), [(at_30, 5), (at_30, 3), (at_50, 4)], strict=True)
for ax, (run, seed) in shown:
    title = f"T = {run['T']}, accuracy {run['accuracy'][seed]:.2f}"
    plots.confusions(run["confusions"][seed], title, ax=ax)
plots.show(ax, "What three runs name for each first symbol: dark where they always do.")

# %% [markdown]
# Neither. At $T = 30$ the run at 0.88 knows seven symbols perfectly and has one wrong: it says 7 for 1. The
# one at 0.75 cannot tell 2, 4 and 6 apart. Symbols are told apart one after another, so many accuracies
# come near multiples of 1/8 (the thin lines of the next figure). At $T = 50$ five of eight learned
# **nothing**: whatever comes, they name the one symbol whose score is a little ahead.

# %% id="on-the-way-figure"
chosen = [0, 1, 4, 6]
rows = [at_50["accuracies"][seed] for seed in chosen]
ax = plots.accuracy_over_updates(at_50["at"], rows, [f"seed {seed}" for seed in chosen], np.arange(1, 8) / 8)
plots.show(ax, "All begin on the plateau at 1/8; those that leave it are done within a few hundred updates.")

# %% [markdown]
# On the plateau one cannot see which runs will leave it. Nor is success a property of the seed. Below are
# the same seeds and settings twice; only the order of some additions in the program changed in between, so
# that sums differ in their last digit:

# %% id="same-seeds"
again = runs("recall", cell="lstm", T=30, gate_bias=2.0)[0]
for name, run in [("recall", again), ("confusions", at_30)]:
    print(f"T = 30, seeds 0 to 7, {name:10}:", *(f"{value:.2f}" for value in run["accuracy"]))

# %% [markdown]
# Some seeds end far apart: a small difference at the start is large after hundreds of updates. So report
# shares, not "seed 3 works".
#
# So what helps? A better start, as the GRU shows. Or **restart**: if a run learns with probability $p$, one
# of $n$ restarts does with $1 - (1 - p)^n$. **Predict** $n$ for a chance of 0.95.

# %% id="restarts"
p = won / of
for n in [1, 3, 5, 6, 12]:
    print(f"{n:2d} runs: at least one learns with probability {1 - (1 - p) ** n:.2f}")

# %% [markdown]
# **Train longer?** The last column of the figure of shares has seeds 0 to 7 with 3000 updates: the three
# that had learned after 1500, and no other; five are still at chance. Here a restart is the better bet; at
# $T = 30$, where runs are on their way, longer training may be.
#
# **Check yourself.** A paper reports that a new cell learns a task in 2 of 3 runs, the LSTM in 1 of 3. What
# follows?
#
# - **a** the new cell is twice as good
# - **b** nothing much: both counts are compatible with the same share
# - **c** the new cell is better, but by how much is unclear

# %% id="concept-runs"
concept_check("09.runs", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. The intervals are 0.21 to 0.94 and 0.06 to 0.79.
#
# </details>
#
# ## Look inside
#
# What do the gates of a *trained* unit do? The textbook story: the write gate opens at the word that
# matters, then shuts; the forget gate stays at 1; the read gate opens when the word is needed. We train one
# and look.
#
# The task is lesson 01's: *the keys to the cabinet in the door of the old house ... are*. The verb agrees
# with the first noun, ten words back, whatever stands between. Twelve words, random phrases, eight units,
# four seeds.

# %% id="train-agreement" tags=["nbval-ignore-output"]
V = len(VOCABULARY)
verbs = train("lstm", 12, [0, 1, 2, 3], draw=agreement, H=8, V=V, updates=400, rate=1e-2, gate_bias=1.0)
print("share of right verbs, seeds 0 to 3:", [round(value, 3) for value in verbs.accuracy.tolist()])
weights = gated.model_of(verbs.weights, int(verbs.accuracy.argmax()))
assert verbs.accuracy.max() > 0.95

# %% [markdown]
# **Predict.** For the two sentences that differ in "key" and "keys" only: sketch write gate, forget gate
# and cell of a unit that carries the number of the noun.

# %% id="read-sentences"
keys = [f"the {noun} to the cabinet in the door of the old house" for noun in ("key", "keys")]
more = ["the old house to the tall doors in the cabinets often now", "the doors" + 5 * " often now"]
one_hot = nn.functional.one_hot(torch.stack([symbols_of(text) for text in keys + more]), V).float()
trace = lstm_trace(one_hot, *weights)
unit = int((trace.h[0, -1] - trace.h[1, -1]).abs().argmax())

# %% id="agreement-figure" tags=["nbval-ignore-output"]
left, right = plots.panels(2)
words = keys[1].split()
plots.gates_by_word({name: getattr(trace, name)[1, :, unit] for name in "fio"}, words, ax=left)
plots.cell_values([trace.c[0, :, unit], trace.c[1, :, unit]], ["key", "keys"], words=words, ax=right)
plots.show(left, "The gates of the unit (left) and its cell for both sentences (right), word by word.")

# %% [markdown]
# The forget gate is roughly the textbook's (0.94 after the noun); the read gate is open from the third word
# on. The write gate is not as told: after the noun it opens **and stays open**. The cell does not hold a
# value, it *runs*, up for one number and down for the other. Is that one odd unit? Here are all eight, over
# 400 fresh sentences:

# %% id="votes" tags=["nbval-ignore-output"]
symbols, _ = agreement(400, 12, V, torch.Generator().manual_seed(11))
many = lstm_trace(nn.functional.one_hot(symbols, V).float(), *weights)
noun = symbols < 8  # (B, T)
same_sign = many.g[:, 2:].sign() == many.h[:, 1:-1].sign()
print("write gate at nouns:      ", *(f"{value:.2f}" for value in many.i[noun].mean(dim=0)))
print("write gate at other words:", *(f"{value:.2f}" for value in many.i[~noun].mean(dim=0)))
print("candidate as the state was:", *(f"{value:.2f}" for value in same_sign.float().mean(dim=(0, 1))))

# %% [markdown]
# No unit writes for nouns only. And from the third word on, in nine of ten steps or more, the candidate has
# the sign of the state before it: the unit writes its own state once more, like a vote. A noun of the other
# number is outvoted, and $\tanh(c)$ stays near $\pm 1$. It is the latch of lesson 04, built from gates.
#
# **Predict, then move.** What does the last sentence, one noun and ten adverbs, do to a cell that adds up a
# vote a word? In the third, a singular noun is followed by two plurals: do they leave a trace? Do all units
# carry the number?

# %% id="trace-viewer" tags=["nbval-ignore-output"]
widgets_gated.trace_viewer(trace, keys + more, unit)

# %% [markdown]
# <details><summary>What we saw</summary>
#
# Adverbs are votes, too: the cell runs as far through ten of them as through the phrases. In the third
# sentence it rises less steeply, and in some units it turns back for a word. Most units carry the number;
# some end the same for every sentence. Yours may differ: a training elsewhere ends with other units.
#
# </details>
#
# ## Two hundred steps
#
# Now an echo across 200 steps: A or B comes at one of the first five steps, then noise of a and b, at the
# end a question mark. Name the A or B. We train on rows of **20** steps, with forget bias 2, and then ask
# across 200.
#
# **Predict.** A gate of 0.97 keeps half over 20 steps. How much over 200? Will the long rows be answered?

# %% id="train-echo" tags=["nbval-ignore-output"]
marks = len(MARKS)
kept = train("lstm", 20, [0, 1, 2, 3], draw=echo, H=4, V=marks, updates=600, rate=1e-2, gate_bias=2.0)
print("trained on T = 20, right on", [round(value, 2) for value in kept.accuracy.tolist()])
seed = int(kept.accuracy.argmax())
symbols, targets = echo(500, 205, marks, torch.Generator().manual_seed(10))
long = accuracy_of("lstm", kept.weights, (symbols.expand(4, 500, 205), targets.expand(4, 500)))[seed].item()
print(f"seed {seed} on T = 205: {long:.2f}")

# %% id="read-echo"
row = symbols[0].clone()
place = int((row < 2).nonzero()[0])
pair = torch.stack([torch.where(torch.arange(205) == place, mark, row) for mark in (0, 1)])
trace = lstm_trace(nn.functional.one_hot(pair, marks).float(), *gated.model_of(kept.weights, seed))
unit = int((trace.h[0, -2] - trace.h[1, -2]).abs().argmax())
f, i, g, c = (part[0, :, unit] for part in (trace.f, trace.i, trace.g, trace.c))

# %% id="echo-figure" tags=["nbval-ignore-output"]
held = gated.gated_line(g[20:], f[20:], 0.0, start=c[19])  # the same gates from step 20 on, write gate shut
left, right = plots.panels(2)
plots.cell_values([trace.c[0, :, unit], trace.c[1, :, unit]], ["A", "B"], ax=left)
plots.cell_values([c[19:], torch.cat([c[19:20], held])], ["as it is", "write gate shut"], start=20, ax=right)
plots.show(
    left,
    "The cell after an A and a B (left); the same gates with the write gate shut from step 20 on (right).",
)
print(f"forget gate {f[20:-1].mean():.4f} on average, horizon {horizon(f[20:-1].mean().item()):.0f} steps;")
print(f"write gate {i[20:-1].mean():.2f}; of the cell at step 20 the gates leave {f[20:].prod():.2f}")
said = trace.h[0, 19:-2, unit]
print(
    f"the candidate has the sign of the state before at {(g[20:-1] * said > 0).float().mean():.0%} of steps"
)

# %% [markdown]
# It answers across ten times the distance that it was trained on. Holding still would have been enough:
# with the write gate shut the cell ends at $-4.4$, its tanh still at $-1$. But the unit *writes the same
# answer again* at nearly every step, and the cell runs to eighty and more. The loss asks for the right sign
# at the end and for nothing else.
#
# So look at the gates of your own unit before you explain it. What the gates gave was a gradient that
# arrives in the first updates, so that training could *find* a solution. Which one it found is another
# question.

# %% [markdown]
# ## What they cost
#
# We time forward and backward pass, in the loop that trained the units above (128 units, 20 steps) and in
# PyTorch's own (64 units, 50 steps). Times are ratios to the plain unit in the same run.
#
# **Predict.** Four times the weights: four times the time?

# %% id="costs" tags=["nbval-ignore-output"]
x, size, ours, theirs = torch.randn(32, 50, 32), [], [], []
for name in ["RNN", "LSTM", "GRU"]:
    network = getattr(nn, name)(32, 64, batch_first=True)
    size.append(sum(part.numel() for part in network.parameters()))
    theirs.append(partial(lambda network: network(x)[0].sum().backward(), network))
    ours.append(partial(train, name.lower(), 20, [0], H=128, updates=5, tests=1))
loop, torchs = np.array(fastest(ours, repeats=5)), np.array(fastest(theirs))
print("              RNN, LSTM, GRU")
print("parameters   ", np.array(size) / size[0])
print("our loop     ", (loop / loop[0]).round(1))
print("PyTorch's own", (torchs / torchs[0]).round(1))

# %% [markdown]
# Parameters are 1 : 4 : 3. In our loop time follows them roughly, but the GRU pays for its reset, which
# must be known before the candidate's product: two products, one after the other. PyTorch computes its LSTM
# in one piece and the other two not, so there the LSTM costs hardly more than the plain unit, and less than
# the GRU with its fewer parameters. Count parameters on paper; *measure* time.
#
# ## The one factor, measured
#
# Lesson 00 began with one picture. Here it is again, and every line comes out of a loop that a lesson
# built: `one_pole` of lesson 02, `free_run` of lesson 03, the gradient through `rnn_forward` of lesson 05,
# the cell of the LSTM above.
#
# **Predict.** All four are to have the factor 0.9. What is the weight of the unit that rests at 0.5? Which
# bias has the forget gate?

# %% shows="course_utils.bridge.four_lines" id="four-lines"

# %% id="one-factor-figure"
lines = four_lines(0.9, steps=40)
ax = plots.one_factor(lines)
plots.show(ax, "Pole, eigenvalue, Jacobian factor and forget gate at 0.9: four lines that lie on each other.")
for line in lines.values():
    assert np.allclose(line, 0.9 ** np.arange(41))

# %% [markdown]
# <details><summary>The numbers</summary>
#
# At $h = 0.5$ the tanh has slope $1 - 0.25 = 0.75$, so the weight is 1.2. $\sigma(a) = 0.9$ for
# $a = \ln 9 = 2.2$.
#
# </details>
#
# What has changed since lesson 02 is *who* sets the factor and *when*. The pole was chosen, once. The
# eigenvalues came with a matrix. The Jacobian was whatever weights and slopes gave. The forget gate is an
# output of the network: one factor for each unit, each step, each sequence.

# %% [markdown]
# ## Summary
#
# - $c_t = f_t c_{t-1} + i_t g_t$, $h_t = o_t \tanh(c_t)$. Without the forget gate nothing ever leaves,
#   without the write gate noise drowns what is held, without the read gate the cell is never silent. The
#   GRU couples the first two and has no third; whether $z$ writes or keeps is a name, where the reset acts
#   is not.
# - Along the cell the gradient is a product of gates, without a matrix. The ways through the gates' weights
#   are added and, in a fresh network, carry more over long distances. A forget bias of 2 brings eight
#   orders of magnitude over 50 steps, before any training.
# - Trainable is not trained: at 50 steps 7 of 16 runs of the LSTM learn, the rest stay on a plateau; two of
#   three would have said little about the share. A trained gate need not do what it was invented for: ours
#   kept writing.
#
# **Two open questions.** The unit reads all words, in order, before it answers. Is order worth that, or
# would a bag of words do (lesson 10)? And all that it has read must pass through one state. What if the
# network could look back instead (lesson 12)?
#
# **Sources.** The lecture "Recurrent Neural Networks" (EE 641, Unit 4A); Hochreiter and Schmidhuber, "Long
# short-term memory", 1997; Gers, Schmidhuber and Cummins, "Learning to forget", 2000; Cho et al., 2014, for
# the GRU; Wilson, 1927, for the interval.
#
# The exercise is ex09. Next, lesson 10: text to states to classes.
