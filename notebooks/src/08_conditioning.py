# %% [markdown]
# # 08 Conditioning
#
# **Which repairs mend what?**
#
# After this lesson you can
#
# - clip a gradient by its length, say why not by value, choose the limit from a run, and put the four calls
#   of an update in the right order;
# - say what an orthogonal or identity start buys at the first update, and how much of it is left after two
#   hundred;
# - say what LayerNorm inside the loop holds fixed, and why the gradient still fades.
#
# 75 minutes; a good place for a break is before *Three starts*. You need lesson 07 (factor a step, horizon,
# slopes) and lesson 03 (eigenvalues, singular values).

# %% id="imports"
import numpy as np
import torch
from torch import nn

from course_utils import plots, widgets_conditioning
from course_utils.checks import claim, concept_check
from course_utils.conditioning import after_clipping, largest_jump, turned_by
from course_utils.records import runs
from course_utils.training import train

generator = torch.Generator().manual_seed(8)
torch.set_num_threads(1)  # the products are too small to share

# %% [markdown]
# ## A run that dies
#
# The task is the recall of lesson 07: after T symbols name the first; 8 symbols, T = 10, H = 32. This time
# the optimiser is plain gradient descent, `torch.optim.SGD`, at the large rate 0.2. Twelve seeds were
# recorded (`make experiments` repeats it): 800 updates, and at each the length of the gradient of all
# weights together.
#
# **Predict.** Between updates 220 and 440 seed 4 names up to half of the symbols right. From update 480 on
# it names one in eight, which is guessing. What does the length of its gradient look like around update
# 460?

# %% id="spike-figure"
(raw,) = runs("clipping", clip=None)
norms = np.array(raw["norms"])  # (12, 800): seeds, updates
update, jump, after = largest_jump(torch.tensor(norms[4]))
ax = plots.gradient_trace(norms[4], marked=update)
plots.show(ax, "The gradient of seed 4 at every update; the dot marks its largest jump.")
print(f"update {update + 1}: {jump:.0f} times the median of the ten before; after it {after:.1f} times")
watched = dict(zip(raw["at"], raw["accuracies"][4], strict=True))
print("accuracy on a batch:", {place: round(watched[place], 2) for place in range(300, 521, 20)})

# %% [markdown]
# One batch, one update. A step of 0.2 times a gradient of 67 moved the weights by 13, a hundred times as
# far as its neighbours, and what had been learned was gone. (The dip to 0.14 at update 360 healed within
# twenty updates.) Ten updates later the gradient looks calm again. The usual explanation is a **cliff** in
# the loss: a small step in the weights leads from a product of Jacobians that fades to one that grows
# (lesson 07). At a cliff the direction of the gradient is right. Its length is the trouble.

# %% id="spike-claim"
jumps = [largest_jump(torch.tensor(row)) for row in norms]
print("largest jump of each seed:", [round(size) for _, size, _ in jumps])
share = np.mean(norms > 2)
print(f"a limit of 2 would have shortened {share:.0%} of the updates")
returned = any(size > 100 and back < 10 for _, size, back in jumps)
claim("clipping.spike", [returned, share < 0.1])

# %% [markdown]
# Not every seed has a jump like that: most of the largest are between 10 and 40.
#
# ## Two ways to shorten
#
# **By value**: cut every number of the gradient to the range from $-c$ to $c$. **By length**: take the
# gradient of all weights as one long vector, $\nabla L$. If it is longer than $c$, shrink it to the length
# $c$:
#
# $$\nabla L \leftarrow \nabla L \cdot \min\left(1, \frac{c}{\lVert \nabla L \rVert}\right)$$
#
# PyTorch has both, `nn.utils.clip_grad_value_` and `nn.utils.clip_grad_norm_`. Take $\nabla L = (3,\ 0.4)$
# and $c = 1$.
#
# **Predict** both results on paper. Which of them still points where $\nabla L$ points?

# %% id="clip-figure"
gradient = torch.tensor([3.0, 0.4])
by_value = after_clipping(nn.utils.clip_grad_value_, gradient, 1.0)
by_length = after_clipping(nn.utils.clip_grad_norm_, gradient, 1.0)
left, right = plots.panels(2)
plots.clip_plane(gradient, by_value, 1.0, "box", ax=left)
plots.clip_plane(gradient, by_length, 1.0, "ball", ax=right)
plots.show(left, "Before and after: each number cut to the box (left), the length cut to the ball (right).")
for name, clipped in [("value", by_value), ("length", by_length)]:
    print(f"by {name}: {clipped.numpy().round(3)}, turned by {turned_by(gradient, clipped):.1f} degrees")

# %% [markdown]
# By value the large number is cut and the small one stays: their ratio changes from 7.5 to 2.5, and the
# arrow turns towards the corner of the box. By length it keeps its line. A cut by value keeps the direction
# only if all numbers other than 0 have the same size. The lecture's claim, on gradients of 200 numbers:

# %% id="direction-claim"
holds = []
for scale in [0.01, 1.0, 100.0]:
    gradient = scale * torch.randn(200, generator=generator, dtype=torch.float64)
    by_length = after_clipping(nn.utils.clip_grad_norm_, gradient, 1.0)
    by_value = after_clipping(nn.utils.clip_grad_value_, gradient, 1.0)
    holds += [turned_by(gradient, by_length) < 1e-6, by_length.norm().item() < 1 + 1e-9]
    holds.append((turned_by(gradient, by_value) > 1) == (gradient.abs().max() > 1).item())
    angle, length = turned_by(gradient, by_value), by_value.norm()
    print(f"largest number {gradient.abs().max():7.2f}: by value {angle:.1f} degrees off, {length:.2f} long")
claim("clipping.norm_keeps_direction", holds)

# %% [markdown]
# Clipping by value bounds the length, too, but at $c\sqrt{n}$ for $n$ numbers: 14 for these 200, and near
# 32 for a unit of a thousand weights.
#
# ## Turn the arrow
#
# An arrow of any length and direction, clipped both ways. (Needs a running kernel; the figure above makes
# the point.)
#
# **Predict, then move.** At length 3 and limit 1: in which directions does clipping by value turn nothing? In
# which does it turn most? What changes at a limit of 3?

# %% id="clip-dial"
widgets_conditioning.clip_dial()

# %% [markdown]
# <details><summary>Answers</summary>
#
# Along the axes and along the diagonals, so at 0°, 45°, 90° and so on. In between by 25° at most, near 20°
# for example, where the larger number is cut to a third and the smaller hardly at all. With a limit of 3 the
# arrow lies inside both regions and neither does anything.
#
# </details>
#
# **Check yourself.** A colleague cuts each number of the gradient to ±1 and says "I clip the norm at 1". His
# model has a million weights. What is the longest gradient that he lets through?
#
# - **a** 1
# - **b** 1000
# - **c** a million

# %% id="concept-value"
concept_check("08.value", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**, $\sqrt{10^6}$. And a step against it does not go where the loss falls fastest.
#
# </details>
#
# ## Choosing c
#
# Gradients of another model have other lengths, so a limit from elsewhere means nothing here. Look at the
# run itself: which share of its gradients is longer than $c$?

# %% id="choose-figure"
ax = plots.share_longer(norms, [0.5, 2, 8])
plots.show(ax, "A limit of 0.5 touches nearly half of all updates, 2 one in eleven, 8 hardly any.")
print("quantiles 50, 90, 99 %:", np.quantile(norms, [0.5, 0.9, 0.99]).round(1))

# %% [markdown]
# **Predict.** The same twelve seeds with the limits 8, 2, 0.5 and 0.1. Which is best? And what happens at
# the two ends, 8 and 0.1?

# %% id="limits-figure"
limits = [None, 8.0, 2.0, 0.5, 0.1]
accuracy = [np.array(runs("clipping", clip=limit)[0]["accuracy"]) for limit in limits]
names = ["none" if limit is None else f"{limit:g}" for limit in limits]
ax = plots.seeds_against(names, accuracy, chance=1 / 8)
plots.show(ax, "A dot is a seed, a line the mean: which limit is best?")
for name, row in zip(names, accuracy, strict=True):
    print(f"c = {name}: mean {row.mean():.2f}, from {row.min():.2f} to {row.max():.2f}")

# %% [markdown]
# <details><summary>What to see</summary>
#
# With a limit of 2 most of the twelve seeds reach 1; with none, or 0.1, most do not. 8 is still too long:
# at the rate 0.2 it is a step of 1.6. With 0.1 nearly every update is cut to the same length, too short to
# arrive in 800 updates: the limit has become the step size. Seed 1 stays at 0.22 or 0.23 with every limit;
# **a limit is no promise**. A limit near the 90 % quantile cuts the rare long gradients and leaves the
# others alone.
#
# </details>
#
# The lecture's claim is an ordering of the means. One seed would prove nothing: three of twelve reach 1.00
# without any limit.

# %% id="large-step-claim"
print(
    "above 0.99 without a limit:",
    (accuracy[0] > 0.99).sum(),
    " with a limit of 2:",
    (accuracy[2] > 0.99).sum(),
)
claim("clipping.large_step", accuracy[2].mean() - accuracy[0].mean())

# %% [markdown]
# And on your machine? Such runs are **chaotic**: a last digit that another processor rounds differently
# sends a seed elsewhere. Only the ordering can be expected to repeat.

# %% id="live-run"
large = {"updates": 600, "rate": 0.2, "optimiser": torch.optim.SGD}
free = train("rnn", 10, range(8), **large)
held = train("rnn", 10, range(8), clip=2.0, **large)
print(
    "clipped is ahead on the mean of eight seeds:", bool(held.accuracy.mean() > free.accuracy.mean() + 0.05)
)

# %% [markdown]
# ## Four calls in order
#
# An update is four calls that all work on `.grad`:
#
# 1. `optimiser.zero_grad()`: empties `.grad`, because `backward` **adds** to what the last batch left
#    there.
# 2. `loss.backward()`: now `.grad` holds the gradient.
# 3. `nn.utils.clip_grad_norm_(weights, c)`: changes `.grad`, and **returns the length before**.
# 4. `optimiser.step()`: reads `.grad` and moves the weights.
#
# **Predict.** Swap the last two. Does anything raise an error? What is the length of `.grad` at the end? How
# far have the weights moved?

# %% id="clip-after-step"
x, rate, c = torch.tensor([40.0, -30.0]), 0.1, 1.0
for order in [("clip", "step"), ("step", "clip")]:
    w = torch.zeros(2, requires_grad=True)
    optimiser = torch.optim.SGD([w], lr=rate)
    (w @ x).backward()  # the gradient is x, of length 50
    for call in order:
        optimiser.step() if call == "step" else nn.utils.clip_grad_norm_([w], c)
    print(*order, f": .grad is {w.grad.norm():.3f} long, the weights moved by {w.detach().norm():.3f}")

# %% [markdown]
# <details><summary>What happened</summary>
#
# No error, and in both orders `.grad` is 1 long at the end, so a look at the gradients shows nothing. But
# the second order moved the weights by 5 and not by 0.1: the step was done before the clipping, and the
# next `zero_grad` throws its work away. It only looks like clipping.
#
# </details>
#
# Two more slips raise no error: without `zero_grad` the gradients of all batches so far add up; with
# `zero_grad` between `backward` and `step` no weight ever moves. So watch how far the *weights* move: with
# plain gradient descent never farther than the rate times $c$.
#
# **Check yourself.** With $c = 1$ you log the number that `clip_grad_norm_` returns. It is 3.7. How long
# was the gradient that the step used?
#
# - **a** 3.7
# - **b** 1
# - **c** 2.7

# %% id="concept-returned"
concept_check("08.returned", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. The call returns the length before clipping. Log that one: it shows the spikes.
#
# </details>
#
# ## With scaled losses
#
# (Only for those who train in half precision, float16.) There the loss is multiplied by a large factor $S$,
# so that small gradients do not become 0, and every gradient is $S$ times too long. `unscale_(optimiser)`
# of PyTorch's `torch.amp.GradScaler` divides by $S$; it has to be called **between `backward` and
# clipping**. The scaler needs a GPU, the arithmetic does not.
#
# **Predict.** The true gradient is 1 long, $S = 1024$ and $c = 2$. How long is the gradient that the step
# uses when clipping comes first?

# %% id="unscale"
S, kept = 1024.0, []
for unscale_first in [True, False]:
    w = torch.zeros(2, requires_grad=True)
    (S * (w @ torch.tensor([0.6, 0.8]))).backward()  # the true gradient is exactly 1 long
    if unscale_first:
        w.grad /= S
    returned = nn.utils.clip_grad_norm_([w], 2.0)
    if not unscale_first:
        w.grad /= S
    kept.append(w.grad.norm().item())
    print(f"unscale first: {unscale_first}; clip saw {returned:.4g}, the step uses {kept[-1]:.4g}")
assert abs(kept[0] - 1) < 1e-5
assert kept[1] < 0.003

# %% [markdown]
# A gradient of 1 needs no clipping at $c = 2$. Clipped too early, the scaled one is cut from 1024 to 2 and
# then divided by 1024: the steps are five hundred times too short, and no error says so.
#
# ## What clipping does not mend
#
# **Predict.** A gradient of length $10^{-9}$, limit 1. What comes out?

# %% id="tiny-claim"
tiny = torch.full((4,), 0.5e-9, dtype=torch.float64)
clipped = after_clipping(nn.utils.clip_grad_norm_, tiny, 1.0)
print(f"before {tiny.norm():.3g}, after {clipped.norm():.3g}")

# %% id="tiny-equal"
claim("clipping.vanishing_untouched", torch.equal(clipped, tiny))

# %% [markdown]
# Clipping only shortens. To *lengthen* short gradients would be no repair either: the gradient is a sum
# over steps (lesson 06), in which the part from far back has faded and the near part has not. A factor on
# the sum leaves their ratio as it is.
#
# ## Three starts

# %% id="imports-starts"
from course_utils.conditioning import (
    lengths_back,
    model_from,
    normalised_step,
    off_orthogonal,
    plain_step,
    starts,
    states_of,
    train_from,
)
from course_utils.horizon import driven_states, fitted_factors
from course_utils.training import first_symbol

# %% [markdown]
# So the factor itself has to come nearer to 1. At the first update it depends on $W_{hh}$ as it was drawn.
# Lesson 03 ended with three kinds: **Gaussian**, independent numbers of variance $1/H$; **orthogonal**;
# **identity**, scaled to $0.95$.
#
# **Predict.** How far apart are the largest and the smallest singular value of one step, $W_{hh}$, for each
# kind? And of twenty steps without a tanh, $W_{hh}^{20}$?

# %% id="spectra-figure"
H = 128
matrices = starts(H, generator)
one = [torch.linalg.svdvals(W) for W in matrices.values()]
twenty = [torch.linalg.svdvals(torch.linalg.matrix_power(W, 20)) for W in matrices.values()]
left, right = plots.panels(2)
plots.singular_values(one, list(matrices), "singular value, 1 step", ax=left)
plots.singular_values(twenty, list(matrices), "singular value, 20 steps", ax=right)
plots.show(left, "Singular values by size, of one step (left) and of twenty (right).")
for name, values in zip(matrices, twenty, strict=True):
    print(f"{name}: after 20 steps from {values.max():.2g} down to {values.min():.2g}")

# %% id="spectrum-claim"
gaussian = matrices["Gaussian"]
sizes = torch.linalg.eigvals(gaussian).abs()
print(f"eigenvalues: {(sizes < 1).double().mean():.0%} inside the unit circle, the largest {sizes.max():.2f}")
print(f"singular values from {one[0].min():.3f} to {one[0].max():.2f}")
share = (sizes < 0.5).double().mean().item()
print(f"inside half the radius: {share:.0%} (a full disk: a quarter)")
claim("conditioning.gaussian_spectrum", one[0].max().item())

# %% [markdown]
# With a spectral radius near 1 the Gaussian start looks harmless. But after twenty steps a few of its
# directions have grown, most have died, and they lie more than fifteen powers of ten apart. A matrix that
# treats its directions so unequally is **ill-conditioned**. The orthogonal and the identity start treat all
# alike.
#
# The identity start copies its state, times 0.95. Without input, and for a state so small that the tanh is
# nearly straight:

# %% id="identity-claim"
h = 0.01 * torch.randn(H, generator=generator, dtype=torch.float64)
ratio = plain_step(torch.zeros_like(h), h, matrices["identity"]) / h
print(f"h_t / h_(t-1): {ratio.min():.4f} to {ratio.max():.4f}")
claim("conditioning.identity_start", (ratio - 0.95).abs().max().item() < 1e-3)

# %% [markdown]
# Each unit is lesson 02's filter with the pole 0.95, and none hears of the others.
#
# ### The horizon at the first update
#
# We measure as in lesson 07: input terms of standard deviation 0.5, a gradient of length 1 in a random
# direction carried back 100 steps, the fitted factor, and from it the steps to $10^{-6}$. A fourth start
# joins, "Gaussian, $\sigma_1 = 1$": the Gaussian one divided by its largest singular value.
#
# **Predict** the order of the four.

# %% id="start-figure"
seeds = range(5)
units = [driven_states("gaussian", 1.0, 0.5, seed) for seed in seeds]
fresh = [starts(H, torch.Generator().manual_seed(seed)) for seed in seeds]
weights = {"Gaussian, σ₁ = 1": [unit.W_hh for unit in units]}
weights |= {f"{name} start": [some[name] for some in fresh] for name in matrices}


def carried(step, of):
    """Lengths against the lag, a row for each seed."""
    rows = [lengths_back(step, unit.terms, W, unit.end) for unit, W in zip(units, of, strict=True)]
    return torch.stack(rows).numpy()


rows = {name: carried(plain_step, of) for name, of in weights.items()}
plots.show(plots.carried(list(rows.values()), list(rows)), "Four starts, five seeds each: which is steep?")


# %% id="start-claim"
def reach(rows):
    """Steps until a gradient has fallen to 1e-6, from the factor a step of each seed."""
    return np.log(1e-6) / np.log(fitted_factors(rows))


for name, lengths in rows.items():
    print(
        f"{name}: factor {fitted_factors(lengths).mean():.2f}, 1e-6 after {reach(lengths).mean():.0f} steps"
    )
claim("conditioning.orthogonal_start", reach(rows["orthogonal start"]))

# %% [markdown]
# <details><summary>What may surprise</summary>
#
# All lines are straight, and only the one with $\sigma_1 = 1$ is steep. The lecture's 15 and 50 come out
# (16 and 51). But the Gaussian start of variance $1/H$ reaches as far as the orthogonal one, and it is the
# same kind of matrix as the one with $\sigma_1 = 1$, only twice as large. Lesson 07's formula asks for the
# root mean square of the singular values, and that is 1 for both. So most of the difference between 15 and
# 50 is **scale**, not orthogonality. Orthogonality adds that *every* direction gets this factor; the
# gradient here had a random direction, which always has a share in the good ones.
#
# </details>
#
# ### And after two hundred updates?
#
# How far is a matrix from the nearest orthogonal one? All singular values of an orthogonal matrix are 1, so
# the root of the mean of $(\sigma_i - 1)^2$ is the distance. We train the three starts at H = 32 on recall
# at T = 10, with Adam and a limit of 1:

# %% shows="course_utils.conditioning.train_from" id="train-from"

# %% [markdown]
# **Predict.** Nothing in the loss asks $W_{hh}$ to stay orthogonal. Where is the distance after 200 updates:
# 0.01, 0.1 or 0.5?

# %% id="drift-figure"
small = starts(32, torch.Generator().manual_seed(8), torch.float32)
trained = {name: train_from(*model_from(W, V=8), first_symbol, 200) for name, W in small.items()}
distances = [off_orthogonal(kept).numpy() for kept in trained.values()]
ax = plots.over_updates(distances, list(trained), "distance from orthogonal")
plots.show(ax, "How far each start is from orthogonal while it is trained.")
for name, kept in trained.items():
    values = torch.linalg.svdvals(kept[-1])
    print(f"{name}: singular values from {values.min():.1f} to {values.max():.1f} after 200 updates")

# %% [markdown]
# Training moves all three away from the orthogonal matrices, the orthogonal start fastest. A start is a
# **start**: it decides what the first gradients can see, and no more. How far the unit sees later is up to
# the training.

# %% [markdown]
# ## Choose a start
#
# Choose start, scale and (for the next section) LayerNorm; H = 64. (Needs a running kernel.)
#
# **Predict, then move.** Orthogonal, plain: from which scale on does the gradient grow? Is it the same
# for the Gaussian start? Then the identity: what happens to it at scale 2?

# %% id="spectrum-dial"
widgets_conditioning.spectrum_dial()

# %% [markdown]
# <details><summary>Answers</summary>
#
# From about 1.6 on, for both: at 1 the slopes of the tanh, 0.72 on average, take their share. Larger
# weights make larger states with smaller slopes, so the factor rises more slowly than the scale. The
# identity at 2 is a row of separate latches (lesson 04): each unit runs to one end and stays there, where
# its slope is nearly 0, and a step leaves a third of the gradient.
#
# </details>
#
# ## LayerNorm inside the loop
#
# The other part of the factor is the slopes. What goes into a tanh is its **pre-activation** $a_t$. Where
# it is large the unit is **saturated**: the tanh is flat and the gradient gone. LayerNorm takes the
# pre-activations of the H units at one step, subtracts their mean and divides by their standard deviation:
#
# $$a_t = W_{xh} x_t + W_{hh} h_{t-1} + b, \qquad h_t = \tanh\left(\frac{a_t - \text{mean}(a_t)}
# {\sqrt{\text{var}(a_t) + 10^{-5}}}\right)$$
#
# Mean and variance are over the units, for each sequence and each step alone, so batch and length do not
# matter. (The $10^{-5}$ only avoids a division by 0.) `nn.LayerNorm` also learns a scale and a shift for
# each unit, left out here. In the library, with `torch.nn.functional.layer_norm`:

# %% shows="course_utils.conditioning.normalised_step" id="normalised-step"

# %% [markdown]
# **Predict.** Multiply *all* weights, $W_{xh}$ and $W_{hh}$, by 8. What happens to the mean slope of the
# plain unit? What to that of the normalised one?

# %% id="slopes-figure"
scales = [0.25, 0.5, 1, 2, 4, 8]
steps = {"plain": plain_step, "LayerNorm": normalised_step}
slopes = {name: [] for name in steps}
for scale in scales:
    for name, step in steps.items():
        states = [states_of(step, scale * unit.terms, scale * unit.W_hh) for unit in units]
        slopes[name].append((1 - torch.stack(states) ** 2).mean().item())
ax = plots.slopes_against_scale(scales, list(slopes.values()), list(slopes))
plots.show(ax, "Mean slope when all weights are multiplied: which unit feels it?")
claim("conditioning.layernorm_slope", slopes["LayerNorm"])

# %% [markdown]
# The plain unit's slopes fall from near 1 to 0.15; the normalised ones stay at 0.6, the mean slope of a
# tanh for normal numbers of mean 0 and variance 1. A factor on all weights cancels: the normalised unit
# computes the *same function* before and after.
#
# ### And the horizon?
#
# **Predict.** The slopes of the plain unit with $\sigma_1 = 1$ are 0.8 on average, those of the normalised
# one 0.6. Does LayerNorm then make the horizon shorter?

# %% id="layernorm-figure"
pair = {name: carried(step, weights["Gaussian, σ₁ = 1"]) for name, step in steps.items()}
ax = plots.carried(list(pair.values()), list(pair))
plots.show(ax, "LayerNorm makes the line less steep; it is still a straight line on a log axis.")
for name, lengths in pair.items():
    print(
        f"{name}: factor {fitted_factors(lengths).mean():.2f}, 1e-6 after {reach(lengths).mean():.0f} steps"
    )

# %% id="layernorm-claim"
logs = np.log(pair["LayerNorm"])
straight = [np.corrcoef(np.arange(row.size), row)[0, 1] for row in logs]
print(f"correlation of log length and lag: {max(straight):.4f} or closer to -1, so geometric")
assert max(straight) < -0.99
claim("conditioning.layernorm_horizon", reach(pair["LayerNorm"]))

# %% [markdown]
# <details><summary>What happened</summary>
#
# No, longer: 16 steps become 26 (the lecture says 15 and 28). The division by the standard deviation is
# part of the step, so it is part of the Jacobian: pre-activations of standard deviation 0.6 are made 1.7
# times as large, and so is the gradient on its way back. Slopes of 0.6 instead of 0.8 take part of that
# away again.
#
# </details>
#
# **Predict.** LayerNorm pins the slopes. Does it pin the factor, too, when only $W_{hh}$ is scaled, by 0.5
# to 8?

# %% id="share-of-the-state"
for scale in [0.5, 1, 2, 4, 8]:
    of = [scale * unit.W_hh for unit in units]
    plain, normalised = (fitted_factors(carried(step, of)).mean() for step in steps.values())
    print(f"W_hh times {scale}: plain {plain:.2f}, LayerNorm {normalised:.2f}")

# %% [markdown]
# No: LayerNorm divides by what input *and* state make together, and a larger $W_{hh}$ gives the state a
# larger share. The explosion is nearly gone: at 8 the plain factor is 1.5, the normalised one 1.06, still
# above 1. A faded gradient stays faded. With every repair the gradient is multiplied by *some* factor a
# step, and a factor below one makes a straight line downwards.
#
# **Check yourself.** A trained unit forgets after 25 steps; the task needs 200. What helps?
#
# - **a** a smaller limit c
# - **b** LayerNorm and an orthogonal start, for the factor then is exactly 1
# - **c** none of these repairs for certain: the unit must be able to set its own factor near 1 where it
#   needs to

# %% id="concept-repairs"
concept_check("08.repairs", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **c**. It is the question of lesson 09.
#
# </details>
#
# ## Which repair mends what
#
# | repair | explosion | vanishing at the start | vanishing after training | saturation |
# |---|---|---|---|---|
# | clipping by length | bounds the step | no: 1e-9 stays 1e-9 | no | no |
# | clipping by value | bounds the step, but turns it | no | no | no |
# | orthogonal, identity | none at first | 51, 45 steps by **scale** (Gaussian: 51) | no: 0.7, 0.5 off | no |
# | LayerNorm in the loop | nearly: 1.5 becomes 1.06 | 16 steps become 26 | in part: slopes of 0.6 | **yes** |
#
# No row has "yes" under *vanishing after training*.
#
# ## Summary
#
# - Clip the length of the *whole* gradient, after `backward` and before `step`, at a limit near the 90 %
#   quantile of the run's own gradients; log the length before. Clipping by value turns the gradient. With a
#   limit, twelve seeds of a large-step run went from a mean of 0.46 to 0.91; a short gradient stays short.
# - An orthogonal or scaled identity start treats all directions alike. At the first update it takes 51 and
#   45 steps to $10^{-6}$; so does a Gaussian start of the same scale, 51. Training leaves the orthogonal
#   matrices within the first hundred updates.
# - LayerNorm inside the loop holds the slopes at 0.6 and undoes any common scale of the weights. The gradient
#   still fades by a fixed factor a step.
#
# **Two open questions.** All of these choose the factor *once*, for every step and every unit. What if the
# network could set it, at every step, for each unit? And what must it look at to decide?
#
# **Sources.** The lecture "Recurrent Neural Networks" (EE 641, Unit 4A). R. Pascanu, T. Mikolov and Y.
# Bengio, "On the difficulty of training recurrent neural networks", ICML 2013. J. L. Ba, J. R. Kiros and G.
# E. Hinton, "Layer normalization", 2016. Q. V. Le, N. Jaitly and G. E. Hinton, "A simple way to initialize
# recurrent networks of rectified linear units", 2015.
#
# The exercise is ex08. Next, lesson 09: a unit that sets its own pole.
