# %% [markdown]
# # 05 The plain RNN
#
# **What does each weight do, and what does a step cost?**
#
# After this lesson you can
#
# - write the plain recurrent unit as a loop, say what each of its weights does alone, and get the same
#   numbers from PyTorch;
# - read a batch of unequal rows without the padding mistake, in one direction and in two;
# - say what a longer sequence, a larger batch, a wider state and one more layer cost in time and memory.
#
# 90 minutes, or two sittings with a break before *The padding mistake*. You need lesson 03 (a matrix applied
# once a step) and the latch of lesson 04.

# %% id="imports"
import math

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_utils import plots, widgets_rnn
from course_utils.cells import check_shapes, rnn_forward, rnn_step
from course_utils.checks import claim, concept_check
from course_utils.conventions import rnn_from_torch, rnn_to_torch
from course_utils.costs import fastest, held_bytes, training_bytes
from course_utils.layers import both_directions, influence, stacked_states, start_weights, unshared_states
from course_utils.padding import distance_walked, padding_scores, turning_weights
from course_utils.tasks import ramp_rows

generator = torch.manual_seed(5)  # PyTorch's own: nn.RNN draws its weights from it, too
torch.set_num_threads(1)  # one core is enough, and easier to measure

# %% [markdown]
# ## By hand
#
# From here on the state goes through a $\tanh$ at every step. With one number in the state and one in the
# input, the **plain recurrent unit** is
#
# $$h_t = \tanh(w_x\, x_t + w_h\, h_{t-1} + b)$$
#
# **Predict.** $w_x = 1$, $w_h = 0.5$, $b = 0$, $h_0 = 0$, inputs $1, 0, 0$. What are $h_1, h_2, h_3$? Without
# the $\tanh$ they would be $1, 0.5, 0.25$. Larger or smaller?

# %% id="by-hand"
h, hand = 0.0, []
for x_t in [1, 0, 0]:
    h = math.tanh(1 * x_t + 0.5 * h)
    hand.append(h)
for name, h in zip(["h1", "h2", "h3"], hand, strict=True):
    claim(f"rnn.worked_{name}", h)

# %% [markdown]
# Smaller: $\tanh$ squeezes. The smaller the state, the less it does: $h_3$ is 0.495 of $h_2$, nearly the
# linear half.
#
# **Predict.** Now $w_h = 2$: a linear loop would double its state at every step. And this one?

# %% id="saturating"
h, doubled = 0.0, []
for x_t in [1, 0, 0]:
    h = math.tanh(1 * x_t + 2 * h)
    doubled.append(h)
claim("rnn.worked_saturating_h2", doubled[1])
claim("rnn.worked_saturating_h3", doubled[2])

# %% [markdown]
# It rises to the ceiling and stays: the unit **saturates**. This is the latch of lesson 04.
#
# PyTorch's `nn.RNN` is the same unit. `rnn_to_torch` puts our weights under PyTorch's names:

# %% id="torch-scalar"
one, zero = torch.ones(1, 1, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
x = torch.tensor([1, 0, 0], dtype=torch.float64)[None, :, None]  # (1, 3, 1)
for w_h, by_hand in [(0.5, hand), (2.0, doubled)]:
    unit = nn.RNN(1, 1, batch_first=True, dtype=torch.float64)
    unit.load_state_dict(rnn_to_torch([(one, w_h * one, zero)]))
    output = unit(x)[0].detach().flatten().numpy()
    print(w_h, output.round(3))
    assert np.allclose(output, by_hand, rtol=1e-12)

# %% [markdown]
# ## Where is the factor?
#
# What is applied once per step? A small change of $h_{t-1}$ is multiplied by
#
# $$\frac{\partial h_t}{\partial h_{t-1}} = w_h\,(1 - h_t^2),$$
#
# the weight times the slope of $\tanh$. It differs from step to step, for it depends on the state.
#
# **Predict.** $w_h = 2$ keeps the 1 for ever. Is its factor at the end above 1, at 1, or below?

# %% id="rule-figure"
old = np.linspace(-1, 1, 81)
ax = plots.next_state(old, [np.tanh(0.5 * old), np.tanh(2 * old)], ["weight 0.5", "weight 2"])
plots.show(ax, "The state can rest where a curve crosses the diagonal. How steep is the curve there?")
push = 1e-6
for w_h in [0.5, 2.0]:
    h = 0.9
    for _ in range(60):
        h = math.tanh(w_h * h)
    kept = (math.tanh(w_h * (h + push)) - math.tanh(w_h * h)) / push
    print(f"weight {w_h}: rests at {h:.3f}; factor {kept:.3f}, by the formula {w_h * (1 - h**2):.3f}")

# %% [markdown]
# <details><summary>What to see</summary>
#
# 0.166, far below 1. The unit with $w_h = 2$ keeps for ever *that there was* an input; *how large* it was is
# divided by six at every step. Where the curve crosses the diagonal the state can rest; it returns there
# after a push when the curve is flatter than the diagonal. Weight 0.5 crosses at 0 only. Weight 2 crosses
# three times: it is flat at the outer two, but at 0 the slope is 2, and the state leaves.
#
# </details>
#
# Three sliders, one unit. (They need a running kernel; the figure shows the rule for two settings.)
#
# **Predict, then move.** From which state weight on does the input stay? What does the state do at $-2$? At
# state weight 2 and input weight $-2$: which bias forgets the input?

# %% id="cell-dial"
widgets_rnn.cell_dial()

# %% [markdown]
# <details><summary>Answers</summary>
#
# Above 1. At $-2$ it jumps between $+0.958$ and $-0.958$. With the input weight $-2$ it rests at $-0.958$;
# from a bias of 0.55 on the lower resting place is gone, and whatever came in, the state ends above (at 0.55
# after more than twenty steps).
#
# </details>

# %% [markdown]
# ## Term by term
#
# With $d$ numbers in and $H$ in the state the weights are matrices, $W_{xh}$ of shape $(H, d)$ and $W_{hh}$
# of shape $(H, H)$:
#
# $$h_t = \tanh(W_{xh}\, x_t + W_{hh}\, h_{t-1} + b)$$
#
# To see one term, silence the other two. Two units, one input; the input is 1 at steps 3 and 4.
#
# **Predict** the first three panels. Input term alone: how long does the input show? State term alone, from
# $h_0 = (0.9, 0)$? Bias alone? ($W_{hh}$, from `turning_weights`, shrinks to 0.9 and turns by 30°;
# $b = (0.4, -0.2)$.)

# %% id="terms-figure"
x = torch.zeros(1, 14, 1, dtype=torch.float64)
x[:, 2:4] = 1
h0 = torch.tensor([[0.9, 0.0]], dtype=torch.float64)
W_xh = torch.tensor([[1.0], [-0.5]], dtype=torch.float64)
W_hh, b = turning_weights(0.9, 30), torch.tensor([0.4, -0.2], dtype=torch.float64)
runs = {
    "input alone": rnn_forward(x, W_xh, 0 * W_hh, 0 * b),
    "state alone": rnn_forward(x, 0 * W_xh, W_hh, 0 * b, h0),
    "bias alone": rnn_forward(x, 0 * W_xh, 0 * W_hh, b),
    "all three": rnn_forward(x, W_xh, W_hh, b, h0),
}
ax = plots.term_by_term({title: states[0].numpy() for title, states in runs.items()})
plots.show(ax, "One term at a time, then all three: how long does each show, and in which unit?")

# %% [markdown]
# <details><summary>What to see</summary>
#
# - **$W_{xh}$** says how an input enters. Alone it has no memory: the input shows while it lasts.
# - **$W_{hh}$** carries. Alone it is lesson 03: the state swings and fades; a step leaves a little less than
#   0.9 of it because of the $\tanh$.
# - **$b$** says where a unit stands when nothing comes. Alone it is a constant.
#
# All three are added *inside* the $\tanh$, so the fourth panel is not the sum of the first three.
#
# </details>

# %% [markdown]
# **Check yourself.** You set $W_{hh} = 0$ and leave the rest. On what does $h_5$ still depend?
#
# - **a** on all of $x_1, \dots, x_5$, the older the less
# - **b** on $x_5$ and the bias only
# - **c** on the bias only

# %% id="concept-silence"
concept_check("05.silence", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. Only $W_{hh}$ brings anything from one step to the next.
#
# </details>

# %% [markdown]
# ## The loop
#
# For a batch of $B$ rows, `x_t` is $(B, d)$ and `h` is $(B, H)$; the transposes put the output size last.

# %% shows="course_utils.cells.rnn_step" id="the-step"

# %% shows="course_utils.cells.rnn_forward" id="the-loop"

# %% [markdown]
# **Predict** five shapes, with $B = 4$, $T = 7$, $d = 3$, $H = 5$: `x[:, 0]`, `x[:, 0] @ W_xh.T`,
# `h @ W_hh.T`, the sum with `b`, and `states`. (`start_weights` draws them as PyTorch starts its own.)

# %% id="shapes"
B, T, d, H = 4, 7, 3, 5
W_xh, W_hh, b = weights = start_weights(d, H, generator)
x, h = torch.randn(B, T, d, generator=generator, dtype=torch.float64), torch.zeros(B, H, dtype=torch.float64)
states = rnn_forward(x, *weights)
print(tuple(x[:, 0].shape), tuple((x[:, 0] @ W_xh.T).shape), tuple((h @ W_hh.T).shape), end=" ")
print(tuple((x[:, 0] @ W_xh.T + h @ W_hh.T + b).shape), tuple(states.shape))
assert torch.equal(states[:, 0], rnn_step(x[:, 0], h, *weights))
assert torch.allclose(states[:, 3:], rnn_forward(x[:, 3:], *weights, h0=states[:, 2]))
try:
    check_shapes(x, *weights, h0=h.T)
except ValueError as error:
    print(error)

# %% [markdown]
# The second `assert` cuts the sequence after three steps and carries the state over the cut: nothing changes.
# All that the past can tell the future goes through these $H$ numbers. `check_shapes` says in words what does
# not fit.
#
# ## The same in PyTorch
#
# **Predict.** Does `nn.RNN` agree to all digits, to three, or not at all? And its parameters: is their number
# ours, $Hd + H^2 + H$?

# %% id="torch-agrees"
rnn = nn.RNN(d, H, batch_first=True, dtype=torch.float64)
rnn.load_state_dict(rnn_to_torch([weights]))
output, h_n = rnn(x)
assert (output - states).abs().max() < 1e-12
for steps in [1, 7, 300]:
    rnn_forward(torch.zeros(1, steps, d, dtype=torch.float64), *weights)  # the same weights at any length
claim("rnn.parameters", sum(w.numel() for w in weights), stated=H * d + H**2 + H)
print({name: tuple(w.shape) for name, w in rnn.named_parameters()})

# %% [markdown]
# <details><summary>PyTorch has five more</summary>
#
# The numbers agree to twelve digits. But PyTorch has **two biases**, one for each product, that only ever
# act as their sum: $H$ parameters more. `rnn_to_torch` leaves the second at zero; `rnn_from_torch` adds the
# two.
#
# </details>

# %% id="and-back"
fresh = nn.RNN(d, H, batch_first=True, dtype=torch.float64)
back = rnn_from_torch(fresh.state_dict())
assert (rnn_forward(x, *back) - fresh(x)[0]).abs().max() < 1e-12
counts = [sum(w.numel() for w in them) for them in (fresh.parameters(), back)]
print(f"{counts[0]} parameters in PyTorch, {counts[1]} here")

# %% [markdown]
# ## Two things to read
#
# A layer returns `output`, the state after every step, $(B, T, H)$, and `h_n`, the last state of each layer,
# $(L, B, H)$. Beware: `h_n` does **not** have the batch first, even with `batch_first=True`. `h_n[-1]` is the
# last layer; `h_n[:, -1]` is the last *row of the batch*, and has a shape that often passes.
#
# A **readout** turns states into $K$ numbers: $y_t = W_{hy}\, h_t + b_y$. From the last state it gives one
# answer a row (a class); from every state an answer a step (the next word). **Predict** both shapes, $K = 6$.

# %% id="readouts"
readout = nn.Linear(H, 6, dtype=torch.float64)
print("one a row", tuple(readout(h_n[-1]).shape), " one a step", tuple(readout(output).shape))
print("h_n", tuple(h_n.shape), " h_n[-1]", tuple(h_n[-1].shape), " h_n[:, -1]", tuple(h_n[:, -1].shape))
assert torch.equal(output[:, -1], h_n[-1])

# %% [markdown]
# ## The padding mistake
#
# Rows of unequal length are padded to a rectangle, here with zeros. The loop does not know this: its state
# walks on through the pads, $h_t = \tanh(W_{hh} h_{t-1} + b)$.
#
# **Predict.** Lengths 7, 6, 4 and 1 in seven steps. In which rows is `h_n` the state after the last real
# input? Where is it farthest off?

# %% id="ragged"
lengths = torch.tensor([7, 6, 4, 1])
real = torch.arange(T) < lengths[:, None]  # (B, T)
x = torch.where(real[:, :, None], x, 0.0)
output, h_n = rnn(x)
own = output[torch.arange(B), lengths - 1]  # (B, H), each row's state at its own length
far = (h_n[-1] - own).norm(dim=1) / own.norm(dim=1)
for n, distance in zip(lengths.tolist(), far.tolist(), strict=True):
    print(f"{T - n} pads: distance {distance:.2f} times the size of the state")

# %% [markdown]
# Right in one row of four, and no error anywhere. (Three pads end nearer than one here: these are different
# rows, and a state that turns may come part of the way back.)
#
# How the distance grows depends on the factor of a step. Three recurrent matrices of eight units, no bias: in
# the first two every pair of units has the factor 0.97, without turning or at 20°; the third is random, with
# spectral radius 0.97.
#
# **Predict** three curves of the distance against the number of pads. Which is worst after a single pad?

# %% id="walk-figure"
h = 0.4 * torch.randn(200, 8, generator=generator, dtype=torch.float64)
mixed = torch.randn(8, 8, generator=generator, dtype=torch.float64)
mixed *= 0.97 / torch.linalg.eigvals(mixed).abs().max()
matrices = [turning_weights(0.97, 0, pairs=4), turning_weights(0.97, 20, pairs=4), mixed]
walks = [distance_walked(h, W, torch.zeros(8, dtype=torch.float64), 40).numpy() for W in matrices]
ax = plots.walk_through_pads(walks, ["0.97, no turn", "0.97, 20 degrees", "random, radius 0.97"])
plots.show(ax, "At a distance of 1 the state is as far off as zero is: after how many pads?")
print("after 1, 5 and 40 pads:", [walk[[1, 5, 40]].round(2).tolist() for walk in walks])

# %% [markdown]
# At a distance of 1 the state is as far away as if it had been replaced by zero. The state that only shrinks
# is nearly there after forty pads. (At first it loses more than 3 per cent a pad: at states of 0.4 the
# $\tanh$ shrinks them as well.) The one that turns is lost after four pads. With the random matrix a single
# pad is enough, for the state is not only forgotten, it is *turned into another*. Few pads are no excuse.
#
# **Predict, then move.** (Needs a kernel.) At factor 0.97, which angle takes the state farthest, and after
# how many pads? Which factors lose nothing at all? What does the bias change?

# %% id="padding-dial"
widgets_rnn.padding_dial()

# %% [markdown]
# <details><summary>Answers</summary>
#
# 90°, the largest here: after two pads the state stands opposite, 1.8 times its size away. No factor loses
# nothing: up to 1 the state fades; above 1 it leaves for the resting places of the $\tanh$. Below 1 a bias
# pulls it to one place, no matter what the row said.
#
# </details>
#
# ## What the mistake costs
#
# The ramp task of lesson 01: does the ramp in the row rise or fall? Rows have 6 to 17 real steps and are
# padded to 18, 24, 32 or 48. Three readers: one reads each state at its own length; the same one, asked with
# the mistake; one that was also *trained* with it. Three seeds (random starts) each.
#
# **Predict** three curves of accuracy against the padding. Can training repair the mistake?

# %% id="train-readers" tags=["nbval-ignore-output"]
rng, paddings = np.random.default_rng(5), [18, 24, 32, 48]
train, test = ramp_rows(1000, range(1, 11), rng), ramp_rows(1000, range(1, 11), rng)
scores = padding_scores(train, test, paddings, seeds=range(3))
ax = plots.reading_scores(paddings, scores)
plots.show(ax, "A dot is a seed, a line the mean of three: which reader is right, and up to which padding?")

# %% id="readers-hold"
right, misread, mistaken = scores.values()
assert min(map(min, right)) > 0.95  # whatever the padding
assert max(map(max, misread)) < 0.85  # a good reader, asked wrongly
assert max(mistaken[-1]) < 0.65  # 31 pads or more behind every row: chance
print("right above 0.95 at every padding; trained with the mistake below 0.65 at 48 steps")

# %% [markdown]
# <details><summary>What to see</summary>
#
# Each row read at its own length: right whatever the padding. Asked with the mistake, the same weights are
# near chance. Trained with it, a network learns to hold its answer through *a few* pads, so a small test
# hides the mistake. Through thirty it learns nothing: the gradient has to come back through all the pads
# (lesson 07).
#
# </details>

# %% [markdown]
# **Check yourself.** A classifier reads `h_n` of rows padded behind. The same row gets another score when
# its batch has a longer neighbour. Why?
#
# - **a** rounding: larger batches add in another order
# - **b** the neighbour's state leaks into the row
# - **c** a longer neighbour means more pads, and the row is read behind them

# %% id="concept-padding"
concept_check("05.padding", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **c**. Rows of a batch never meet; but the longest decides how many pads the others get.
#
# </details>
#
# ## Three fixes
#
# **Read at length - 1**: run over everything, take each state at its own length. **Pack**: PyTorch leaves the
# pads out. **Pad in front**: the last step is real in every row.
#
# The third has a catch: pads in front are read *first*. **Predict.** For which weights do they leave
# $h_0 = 0$ alone?


# %% id="three-fixes"
def three_fixes(rnn):
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    front = torch.stack([row.roll(T - n, 0) for row, n in zip(x, lengths.tolist(), strict=True)])
    read = rnn(x)[0][torch.arange(B), lengths - 1]
    return read, rnn(packed)[1][-1], rnn(front)[1][-1]  # (B, H) each


plain = nn.RNN(d, H, batch_first=True, bias=False, dtype=torch.float64)
for name, layer in [("without bias", plain), ("with bias", rnn)]:
    read, packed, front = three_fixes(layer)
    off = [(fix - read).abs().max().item() for fix in (packed, front)]
    print(f"{name}: largest difference to reading at length - 1: pack {off[0]:.2g}, in front {off[1]:.2g}")

# %% [markdown]
# Without a bias all three agree. With one, pads in front move the state from 0 to where the bias holds it,
# and the row starts from there; a row of one step feels it most. So the third fix is exact only when a pad
# leaves the zero state alone. The other two agree always.

# %% id="padding-claims"
read, packed, front = three_fixes(plain)
at_T = plain(x)[0][:, -1]
after_pads = [not torch.allclose(at_T[row], read[row]) for row in (1, 2, 3)]
claim(
    "rnn.padding_last_state",
    [*after_pads, torch.allclose(packed, read), torch.allclose(front, read)],
)
whole, h_n = rnn(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
output = pad_packed_sequence(whole, batch_first=True)[0]  # zeros behind each row
ends = [torch.equal(output[row, n - 1], h_n[-1, row]) for row, n in enumerate(lengths.tolist())]
full = rnn(torch.randn(B, T, d, generator=generator, dtype=torch.float64))
claim("rnn.output_and_h_n", [*ends, torch.equal(full[0][:, -1], full[1][-1])])

# %% [markdown]
# ## Both directions
#
# A second loop may read the row from its end. At step $t$ the two states side by side know the whole row:

# %% shows="course_utils.layers.both_directions" id="both-directions"

# %% [markdown]
# **Predict.** With pads behind, the backward loop meets them *first*. Which fix still gives the last state of
# both loops? (We try four: pack; both loops read at length - 1; forward at length - 1 and backward at step 1,
# where it ends; pads in front.)

# %% id="both-fixes"
both = nn.RNN(d, H, batch_first=True, bidirectional=True, dtype=torch.float64)
alone = [both(row[None, :n])[1] for row, n in zip(x, lengths.tolist(), strict=True)]  # no pads at all
alone = torch.cat(alone, dim=1)  # (2, B, H)
packed = both(pack_padded_sequence(x, lengths, batch_first=True))[1]
front = torch.stack([row.roll(T - n, 0) for row, n in zip(x, lengths.tolist(), strict=True)])
ahead, back = both(x)[0].chunk(2, dim=2)  # (B, T, H) each
rows, last = torch.arange(B), lengths - 1
tries = {
    "pack": packed,
    "both at length - 1": torch.stack([ahead[rows, last], back[rows, last]]),
    "length - 1 and step 1": torch.stack([ahead[rows, last], back[:, 0]]),
    "pads in front, h_n": both(front)[1],
}
off = {name: (state - alone).norm(dim=2).amax(dim=1).tolist() for name, state in tries.items()}
for name, (forward, backward) in off.items():
    print(f"{name:22} off by: forward {forward:.2f}, backward {backward:.2f}")

# %% [markdown]
# <details><summary>What to see</summary>
#
# Only packing is right. At length - 1 the backward loop has read one real step, after the pads. Read at
# step 1 it has seen the row, but began it with pads: off by what the bias made of them. In front, the
# forward loop starts in pads and the backward loop ends in them.
#
# </details>

# %% id="both-agree"
assert max(off["pack"]) < 1e-12
assert off["both at length - 1"][1] > 0.1
assert off["length - 1 and step 1"][1] > 1e-3
assert min(off["pads in front, h_n"]) > 1e-3

# %% [markdown]
# The price is that nothing can be said before the row has ended. **Predict** for each loop: which states
# change when only input 6 of 8 is changed?

# %% id="influence-figure"
first, second = start_weights(d, H, generator), start_weights(d, H, generator)
long = torch.randn(3, 8, d, generator=generator, dtype=torch.float64)
layers = {
    "forward": lambda x: rnn_forward(x, *first),
    "backward": lambda x: rnn_forward(x.flip(1), *second).flip(1),
    "both": lambda x: both_directions(x, first, second),
}
images = [torch.stack([influence(layer, long, k) for k in range(8)], 1).numpy() for layer in layers.values()]
ax = plots.influences(images, list(layers))
plots.show(ax, "Read column 6: dark are the states that change when input 6 is changed.")

# %% [markdown]
# Forward, states 6 to 8: a state depends on its past only. Backward, 1 to 6. With both directions, all: every
# state depends on every input. So a bidirectional layer cannot run **online**, while the inputs still arrive.
# (A language model must not have one: it would see the word that it should predict.)
#
# Each layer has two last states now, forward, then backward: `h_n` is $(2L, B, H)$.

# %% id="bidirectional-claim"
two = nn.RNN(d, H, num_layers=2, bidirectional=True, batch_first=True, dtype=torch.float64)
output, h_n = two(x)
shapes = [output.shape == (B, T, 2 * H), h_n.shape == (4, B, H)]
online, offline = influence(lambda x: rnn(x)[0], long, 7), influence(lambda x: two(x)[0], long, 7)
claim("rnn.bidirectional_shapes", [*shapes, bool((online[:7] == 0).all()), bool((offline[:7] > 0).all())])

# %% [markdown]
# ## Stacks
#
# The states of one layer can be the inputs of the next:

# %% shows="course_utils.layers.stacked_states" id="stacked"

# %% [markdown]
# **Predict.** $d = 3$, $H = 5$, three layers: how many weights has each, biases apart?

# %% id="stack-claim"
layers = [start_weights(d, H, generator), start_weights(H, H, generator), start_weights(H, H, generator)]
tower = nn.RNN(d, H, num_layers=3, batch_first=True, dtype=torch.float64)
tower.load_state_dict(rnn_to_torch(layers))
output, h_n = tower(x)
assert (stacked_states(x, layers) - output).abs().max() < 1e-12
counts = [W_xh.numel() + W_hh.numel() for W_xh, W_hh, _ in layers]
claim("rnn.stacked_parameters", counts[0], stated=H**2 + H * d)
claim("rnn.stacked_parameters", counts[1:], stated=2 * H**2)
print("h_n", tuple(h_n.shape))

# %% [markdown]
# Both at once: each layer reads the pair of states of the layer below, so from the second on $d = 2H$.

# %% id="both-stacked"
pairs = [[start_weights(size, H, generator) for _ in range(2)] for size in (d, 2 * H)]
two.load_state_dict(rnn_to_torch([layer for pair in pairs for layer in pair], bidirectional=True))
y = x
for forward, backward in pairs:
    y = both_directions(y, forward, backward)
assert (y - two(x)[0]).abs().max() < 1e-12
print("two layers, two directions:", tuple(y.shape), " h_n", tuple(two(x)[1].shape))

# %% [markdown]
# ## What a step costs: time
#
# One step takes $B(Hd + H^2)$ multiplications, and step $t$ cannot begin before step $t - 1$ has ended. So we
# expect a time that is proportional to $T$, hardly grows with $B$ while the processor can work on more rows
# side by side, and grows with $H^2$ once $H$ is large.
#
# **Predict.** 16 times the steps; 16 times the rows (1 to 16); 16 times the units (64 to 1024). How many
# times as long, each? (One core, the time that the processor spends.)


# %% id="measure-time" tags=["nbval-ignore-output"]
def forward_pass(B, T, H, d=32):
    x, weights = torch.zeros(B, T, d), start_weights(d, H, generator, torch.float32)
    return lambda: rnn_forward(x, *weights)


Ts, Bs, Hs = [10, 20, 40, 80, 160], [1, 4, 16, 64, 256, 1024], [16, 64, 128, 256, 512, 1024]
with torch.no_grad():
    over_T = fastest([forward_pass(16, T, 64) for T in Ts])
    over_B = fastest([forward_pass(B, 20, 64) for B in Bs])
    over_H = fastest([forward_pass(16, 10, H) for H in Hs])

# %% id="time-figure" tags=["nbval-ignore-output"]
axes = plots.panels(3, width=3.3)
plots.cost(Ts, over_T, 1, 10, "steps T", "B = 16, H = 64", ax=axes[0])
plots.cost(Bs, over_B, 1, 256, "rows B", "T = 20, H = 64", ax=axes[1])
plots.cost(Hs, over_H, 2, 256, "units H", "B = 16, T = 10", ax=axes[2])
plots.show(axes[0], "Dots are measured; the dashed lines follow the multiplications. Where do they part?")
times = [over_T[4] / over_T[0], over_B[2] / over_B[0], over_H[5] / over_H[1]]
print("16 times the steps, rows (1 to 16), units (64 to 1024):", np.round(times, 1))

# %% id="time-claim"
slope = np.polyfit(np.log(Ts), np.log(over_T), 1)[0]
few, many = over_B[2] / over_B[0], over_B[5] / over_B[3]
claim("rnn.sequential_time", [0.7 < slope < 1.3, few < 8, many > 2])  # 16 times the rows, twice

# %% [markdown]
# <details><summary>What to see</summary>
#
# Against $T$ a line of slope 1. Against $B$ nearly flat at first: a step of a few rows is mostly the price of
# calling PyTorch, and one row takes about as long as 16; when the core is full the slope turns to 1. Against
# $H$ flat at first, then a slope of nearly 2: sixteen times the units would take 256 times as long at slope
# 2, but the flat part keeps it far below.
#
# </details>

# %% [markdown]
# **Check yourself.** Twice as many steps, half as many rows: the same number of multiplications. With small
# batches the forward pass takes
#
# - **a** as long
# - **b** about twice as long
# - **c** half as long

# %% id="concept-cost"
concept_check("05.cost", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. Rows run side by side, steps one after another.
#
# </details>
#
# ## What a step costs: memory
#
# For training, PyTorch keeps what the way back (lesson 06) will need: inputs, states, outputs, for every
# step. `held_bytes` counts the bytes of these tensors. The lecture's sizes: $B = 32$, $T = 100$, $d = 300$,
# $H = 512$, $K = 10{,}000$ words, 4 bytes a number.
#
# **Predict.** A megabyte is a million bytes. How many for the inputs, the states and the outputs? Which of
# the three would you cut first?

# %% id="memory-claims"
B, T, d, H, K = 32, 100, 300, 512, 10_000
weights = [w.requires_grad_() for w in start_weights(d, H, generator, torch.float32)]
readout, words = nn.Linear(H, K), torch.randint(K, (B * T,), generator=generator)
x, h0 = torch.randn(B, T, d, generator=generator), torch.zeros(B, H)
states = held_bytes(lambda: rnn_forward(x, *weights, h0), apart=[x, h0, *weights])
with_inputs = held_bytes(lambda: rnn_forward(x, *weights, h0), apart=[h0, *weights])
claim("rnn.states_MB", states / 1e6)
claim("rnn.inputs_MB", (with_inputs - states) / 1e6)
assert states == B * T * H * 4


# %% id="outputs-claim"
def loss(h, words):
    return nn.functional.cross_entropy(readout(h.flatten(0, 1)), words)


h, there = rnn_forward(x, *weights, h0).detach(), [words, *readout.parameters()]
outputs = held_bytes(lambda: loss(h, words), apart=[h, *there])
whole = held_bytes(lambda: loss(rnn_forward(x, *weights, h0), words), apart=[h0, *weights, *there])
claim("rnn.outputs_MB", outputs / 1e6)
print(f"inputs, states and outputs {(with_inputs + outputs) / 1e6:.1f} MB, whole graph {whole / 1e6:.1f} MB")

# %% [markdown]
# The states are what one thinks of; the outputs take twenty times as much. All that is kept for the loss (the
# *graph*) is a little more than the sum, for `torch.stack` makes a second copy of the states and the readout
# keeps that one.
#
# What does not depend on $T$: weights, their gradients and the two averages that Adam keeps of each
# gradient, four numbers a weight. Measured after one step of training:

# %% id="fixed-claim"
optimiser = torch.optim.Adam([*weights, *readout.parameters()])
loss(rnn_forward(x[:, :2], *weights), words[: 2 * B]).backward()
optimiser.step()
numbers = sum(w.numel() for w in [*weights, *readout.parameters()])
fixed = training_bytes(optimiser)
print(f"{numbers:,} = {H * d + H**2 + H:,} in the loop + {K * H + K:,} in the readout, 16 bytes each")
a_step = B * (d + H + K) * 4
claim("rnn.fixed_MB", fixed / 1e6)
passed = math.ceil(fixed / a_step)
print(f"{a_step / 1e6:.2f} MB of activations a step: more than the fixed part from T = {passed} on")
assert fixed == 16 * numbers
assert fixed / a_step < 100

# %% id="memory-figure"
steps = np.arange(0, 101, 5)
parts = {"outputs": B * steps * K * 4 / 1e6, "states": B * steps * H * 4 / 1e6}
ax = plots.memory(steps, parts, fixed / 1e6)
plots.show(ax, "The outputs alone pass weights and optimiser before step 70; the states stay far below.")

# %% [markdown]
# ## Weights of their own
#
# The loop uses the same weights at every step. What if each step had its own?
#
# **Predict.** How many parameters for 10, 20 and 40 steps, with $d = 3$ and $H = 5$? What does a model for 20
# steps say to a row of 25?

# %% shows="course_utils.layers.unshared_states" id="unshared"

# %% id="sharing-claim"
long = torch.randn(2, 25, 3, generator=generator, dtype=torch.float64)
own = {T: [start_weights(3, 5, generator) for _ in range(T)] for T in (10, 20, 40)}
counts = {T: sum(w.numel() for step in steps for w in step) for T, steps in own.items()}
print("weights of their own:", counts, " shared:", sum(w.numel() for w in own[10][0]))
try:
    unshared_states(long, own[20])
    reached = True
except ValueError as error:
    reached = False
    print(error)
shared = own[10][0]
same = torch.allclose(unshared_states(long, [shared] * 25), rnn_forward(long, *shared))
claim("rnn.weight_sharing", [counts[20] == 2 * counts[10], counts[40] == 4 * counts[10], not reached, same])

# %% [markdown]
# Weights of their own cost $T$ times as much, and for step 21 there are none. Sharing is also what lets
# something learned at one place be known at every other, as lesson 01 showed.
#
# ## Summary
#
# - $h_t = \tanh(W_{xh} x_t + W_{hh} h_{t-1} + b)$: $W_{xh}$ lets in, $W_{hh}$ carries, $b$ sets where a
#   unit rests. The factor of a step is $W_{hh}$ times the slope of $\tanh$. `nn.RNN` computes the same,
#   with two biases.
# - Behind pads the state is another one; with a random matrix a single pad is enough. Pack, or read at
#   length - 1; pad in front only if pads leave the zero state alone. Two directions need packing, and the
#   whole row.
# - Time is proportional to $T$, nearly free in $B$ until the core is full, quadratic in $H$. Activations take
#   $4BT(d + H + K)$ bytes, most of it outputs. A layer has $H^2 + Hd + H$ parameters, at any length.
#
# **Two open questions.** Everything that the loop stored is needed once more, backwards: why, and in which
# order? And the factor of a step depends on the state: what is left of a gradient after a hundred of them?
#
# **Sources.** The lecture "Recurrent Neural Networks" (EE 641, Unit 4A); the course note "Recurrent neural
# networks"; the blog post "RNN".
#
# The exercise is ex05. Next, lesson [06, BPTT](06_bptt.ipynb): how a loss at the end reaches a weight at the
# start.
