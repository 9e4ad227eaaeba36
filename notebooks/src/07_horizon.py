# %% [markdown]
# # 07 The horizon
#
# **How far back can a loss see?**
#
# After this lesson you can
#
# - measure how a gradient shrinks or grows on its way back, and give its factor per step and its horizon;
# - say what sets that factor, and why an explosion needs a largest singular value above one and yet may not
#   come;
# - say why a unit that could hold a symbol for ever does not learn to, and what more layers change.
#
# 80 minutes; a good place for a break is before *Recall*. You need lesson 06 (gradients carried back by
# Jacobians), the singular values of lesson 03 and the latch of lesson 05.

# %% id="imports"
import math

import numpy as np
import torch

from course_utils import plots, records, widgets_horizon
from course_utils.checks import claim, concept_check
from course_utils.depth import along_path, paths, run_stack, start_stack, through_all_paths
from course_utils.filters import horizon
from course_utils.horizon import (
    carried_back,
    driven_states,
    fitted_factors,
    lengths_of_starts,
    typical_factor,
)
from course_utils.training import train

torch.set_num_threads(1)  # the products are too small to share

# %% [markdown]
# ## Fifty steps
#
# Lesson 06 ended with a row of sizes that fell by orders of magnitude. On its way back a gradient is
# multiplied at every step by the Jacobian of that step,
#
# $$J_t = \operatorname{diag}(1 - h_t^2)\, W_{hh},$$
#
# slopes times weights. With one unit this is a number, $w\,(1 - h_t^2)$.
#
# **Predict.** A gradient of 1 goes back fifty steps through a linear unit with $w = 0.9$. What is left?
# With $w = 2$? And with $w = 2$ and a $\tanh$, the unit of lesson 05 that kept its input for ever?


# %% id="one-unit"
def gradient_at_start(w, rule, T=50):
    """How fast h_T moves with h_0 = 1, by autograd."""
    start = h = torch.ones((), dtype=torch.float64, requires_grad=True)
    for _ in range(T):
        h = rule(w * h)
    return torch.autograd.grad(h, start)[0].item()


for w, rule in [(0.9, torch.clone), (2.0, torch.clone), (2.0, torch.tanh)]:
    print(f"w = {w}, {'tanh' if rule is torch.tanh else 'linear'}: {gradient_at_start(w, rule):.3g}")
claim("horizon.two_to_the_fifty", gradient_at_start(2.0, torch.clone))

# %% [markdown]
# <details><summary>What to see</summary>
#
# At $w = 0.9$ half a per cent is left. The weight 2 gives $10^{15}$ or $10^{-39}$. Near 0 the $\tanh$ has
# slope 1, and the gradient would double. This unit comes to rest at 0.958, where the slope is 0.083, and at
# every step only a sixth of the gradient is left. The unit remembers its input; no loss can find out which
# weights put it there.
#
# </details>

# %% [markdown]
# ## A bound
#
# With $H$ units, the matrix may shrink some directions and stretch others. The largest singular value
# $\sigma_1$ of $W_{hh}$ is the most that it can stretch, and no slope is above 1. Let $\delta_t$ be the
# gradient at step $t$ as in lesson 06, with a loss at the end only, and let bars mean length. Then
#
# $$|\delta_{t-1}| = \bigl|W_{hh}^\top \bigl(\delta_t \odot (1 - h_t^2)\bigr)\bigr| \le \sigma_1 |\delta_t|,
# \qquad \text{hence} \qquad |\delta_s| \le \sigma_1^{\,t-s}\, |\delta_t| .$$
#
# With $\sigma_1 < 1$ a gradient **must** vanish, whatever the inputs are. With $\sigma_1 > 1$ it **may**
# grow. Does it?
#
# This loop carries a gradient back and notes its length after every step, so at every **lag**, the number
# of steps back:

# %% shows="course_utils.horizon.carried_back" id="carry-back"

# %% [markdown]
# That is one direction. For all directions at once one needs the full product
# $J_T J_{T-1} \cdots J_{s+1} = dh_T/dh_s$, newest step on the left. Two units, three steps, against
# autograd:

# %% id="by-hand"
tiny = driven_states("gaussian", 1.5, 0.5, seed=0, T=3, H=2)
J_2, J_3 = ((1 - h**2)[:, None] * tiny.W_hh for h in tiny.states[1:])


def end_from(run, lag):
    """The map from the state `lag` steps before the end to the last state."""

    def rest(h):
        for term in run.terms[len(run.terms) - lag :]:
            h = torch.tanh(term + run.W_hh @ h)
        return h

    return rest


product = torch.func.jacrev(end_from(tiny, 2))(tiny.states[0])
print("autograd\n", product.numpy().round(4), "\nJ_3 J_2\n", (J_3 @ J_2).numpy().round(4))
assert torch.allclose(product, J_3 @ J_2)
assert not torch.allclose(product, J_2 @ J_3)

# %% [markdown]
# ## Measure it
#
# Take a unit before training: $H = 128$, float64, $b = 0$, random inputs of 32 numbers. $W_{xh}$ is scaled
# so that the input terms, what the inputs add before the $\tanh$, have the standard deviation 0.5. $W_{hh}$
# is *orthogonal* (all singular values equal) or *Gaussian* (independent normal numbers), scaled to a given
# $\sigma_1$. A gradient of length 1 in a random direction is carried back over 100 steps.
#
# **Predict.** Orthogonal, $\sigma_1 = 1.5$. The bound after 100 steps is $1.5^{100} = 4 \cdot 10^{17}$. How
# long do you expect the gradient to be? And in the direction that is stretched most?

# %% id="bound-figure"
run = driven_states("orthogonal", 1.5, 0.5, seed=0)
lags = np.arange(0, 101, 10)
product = [torch.func.jacrev(end_from(run, lag))(run.states[-1 - lag]) for lag in lags]
most = np.array([torch.linalg.matrix_norm(P, 2).item() for P in product])
one = carried_back(run.states, run.W_hh, run.end).numpy()
assert np.allclose([(run.end @ P).norm().item() for P in product], one[lags])
bounds = [("bound", np.arange(101), 1.5 ** np.arange(101)), ("best direction", lags, most)]
ax = plots.carried([one[None]], ["random direction"], bounds)
plots.show(ax, "A gradient carried back 100 steps, the best direction and the bound: how far apart?")

# %% [markdown]
# <details><summary>What to see</summary>
#
# The bound rises by 17 orders of magnitude. The random direction stays between 0.3 and 1.7, and even the
# best direction of the full product between 1 and 7. To reach the bound a gradient would have to point
# along the most stretched direction at every step *and* find every slope at 1.
#
# </details>
#
# **Predict.** Five starts: orthogonal with $\sigma_1$ = 0.5, 1, 1.5 and 3, and Gaussian with
# $\sigma_1 = 1$. On a log axis, which lines fall, and which are straight? An orthogonal matrix with
# $\sigma_1 = 1$ changes no length: is its line level?

# %% id="five-starts" tags=["nbval-ignore-output"]
starts = [(kind, sigma) for kind in ("orthogonal", "gaussian") for sigma in (0.5, 1.0, 1.5, 3.0)]
rows = {start: lengths_of_starts(*start, 0.5, seeds=range(5)) for start in starts}
five = [*starts[:4][::-1], ("gaussian", 1.0)]
ax = plots.carried([rows[start] for start in five], [f"{kind}, {sigma:g}" for kind, sigma in five])
plots.show(ax, "Five starts, five seeds each: which lines fall, which rise, and are they straight?")

# %% [markdown]
# All are straight, and only orthogonal at 3 rises. So over many steps a start has **one factor a step**,
# called $\gamma$ (gamma). We fit it as in lesson 03, by a line through the logarithms, here over lags 0 to
# 100:

# %% id="factor-table"
gamma = {start: fitted_factors(rows[start]) for start in starts}
for (kind, sigma), values in gamma.items():
    after = np.exp(np.log(rows[kind, sigma][:, -1]).mean())
    spread = f"({values.min():.3f} to {values.max():.3f})"
    print(f"{kind:10} {sigma:3g}: {values.mean():.3f} a step {spread}, after 100 steps {after:.1g}")

# %% id="factor-claims" tags=["nbval-ignore-output"]
claim("horizon.orthogonal_rate", gamma["orthogonal", 1.0])
claim("horizon.gaussian_rate", gamma["gaussian", 1.0])
claim("horizon.scale_1.5", gamma["orthogonal", 1.5])
claim("horizon.scale_3", np.exp(np.log(rows["orthogonal", 3.0][:, -1]).mean()))

# %% [markdown]
# - Orthogonal at 1 loses a **quarter** at every step, all of it to the slopes; its matrix loses nothing.
# - Gaussian with the same $\sigma_1$ loses nearly **three fifths**. In the figure its line hides that of
#   orthogonal at 0.5, although their bounds are 1 and 0.5.
# - The lecture's numbers, too, are for a gradient in a random direction. The last one is a geometric mean
#   over the seeds, which lie far apart after 100 steps.

# %% [markdown]
# ## Where the factor comes from
#
# A step does two things to a gradient: slopes, then directions.
#
# - **Directions.** A matrix has $H$ singular values $\sigma_i$. A gradient in a random direction is
#   stretched by their root mean square, not by the largest. For an orthogonal matrix this is $\sigma_1$,
#   for a Gaussian one half of it.
# - **Slopes.** The squared length is a sum over units, each with its slope squared. So here, too, the root
#   mean square counts.
#
# $$\gamma \approx \sqrt{\text{mean of } \sigma_i^2}\; \cdot\; \sqrt{\text{mean of } (1 - h_t^2)^2}$$

# %% id="parts"
for start in [("orthogonal", 1.0), ("gaussian", 1.0), ("orthogonal", 1.5), ("orthogonal", 3.0)]:
    run = driven_states(*start, 0.5, seed=0)
    stretch, slope = typical_factor(run.states[10:], run.W_hh)
    text = f"{stretch:.3f} times {slope:.3f} = {stretch * slope:.3f}, fitted {gamma[start][0]:.3f}"
    print(f"{start[0]}, {start[1]:g}: {text}")

# %% [markdown]
# The slopes depend on the states, and so on the inputs. **Predict.** Orthogonal at 1 has 0.76. What becomes
# of it when the inputs are ten times smaller? Four times larger? And for orthogonal at 1.5, whose loop
# without tanh would grow?

# %% id="input-figure"
sizes = np.array([0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2])
three = [("orthogonal", 1.5), ("orthogonal", 1.0), ("gaussian", 1.0)]
measured, formula = [], []
for start in three:
    runs = [driven_states(*start, size, seed=0) for size in sizes]
    formula.append(np.array([math.prod(typical_factor(run.states[10:], run.W_hh)) for run in runs]))
    rows_by_size = [lengths_of_starts(*start, size, seeds=range(3)) for size in sizes]
    measured.append(np.array([fitted_factors(found) for found in rows_by_size]))
names = ["orthogonal, 1.5", "orthogonal, 1", "gaussian, 1"]
ax = plots.factor_lines(sizes, measured, formula, names, "standard deviation of the input terms")
plots.show(ax, "Lines: the formula; marks: runs. What do louder inputs do?")

# %% [markdown]
# Louder inputs make flatter slopes and smaller factors, and the formula says how much. Turned down,
# orthogonal at 1 rises towards 1, and Gaussian at 1 only to a half. At 1.5 the loop drives itself: below an
# input of about 0.4 the factor is above 1, but never above 1.07, because a growing state meets flatter
# slopes.
#
# So $\gamma$ is no property of the weights alone: **a unit's memory depends on what it reads.**
#
# Three settings, one line. (Needs a running kernel; the figures above make the point without one.)
#
# **Predict, then move.** Orthogonal at 1: which input size gives a factor of 0.87? Gaussian at 1: is there
# an input with which $10^{-6}$ is reached only after more than 25 steps? Orthogonal at 3: which input size
# stops the explosion?

# %% id="horizon-dial"
widgets_horizon.horizon_dial()

# %% [markdown]
# <details><summary>Answers</summary>
#
# Between 0.20 and 0.25. No: its typical singular value is 0.51, and even with all slopes near 1 it reaches
# 22 steps. None: even at 3, the loudest, the factor is 1.03.
#
# </details>

# %% [markdown]
# ## The horizon
#
# Say a gradient is lost when a share $\epsilon$ (epsilon) is left. That happens after
#
# $$T_\epsilon = \frac{\ln \epsilon}{\ln \gamma}$$
#
# steps, the **horizon at $\epsilon$**. It is lesson 02's $\tau = -1/\ln\gamma$, which counts to $1/e$, times
# $\ln(1/\epsilon)$.
#
# **Predict.** How many steps at $\epsilon = 10^{-6}$, for the lecture's factors 0.40 and 0.76?

# %% id="horizon-table"
print("gamma    1e-2   1e-6   1e-12")
for factor in [0.40, 0.43, 0.76, 0.87, 0.98]:
    print(factor, *(f"{horizon(factor) * math.log(1 / eps):6.1f}" for eps in [1e-2, 1e-6, 1e-12]))
claim("horizon.steps_orthogonal", math.log(1e-6) / math.log(0.76))
claim("horizon.steps_gaussian", math.log(1e-6) / math.log(0.40))

# %% [markdown]
# **Check yourself.** $\gamma = 0.76$, 50 steps to $10^{-6}$. You want 100. What brings them?
#
# - **a** a learning rate ten times as large, so that a gradient may be ten times smaller
# - **b** $\gamma = 0.87$
# - **c** $\gamma = 1.52$

# %% id="concept-horizon"
concept_check("07.horizon", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**, the square root of 0.76. In **a** $\epsilon$ stands inside a logarithm: a tenth of it is eight
# steps more.
#
# </details>

# %% [markdown]
# ## Explosion takes more than $\sigma_1 > 1$
#
# **Predict.** The input stays at 0.5 and $\sigma_1$ rises. From which value on does the orthogonal start
# explode? The Gaussian one?

# %% id="explosion-figure" tags=["nbval-ignore-output"]
sigmas = np.array([0.5, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4])
names, what, measured, formula = ["orthogonal", "gaussian"], "largest singular value $\\sigma_1$", [], []
for kind in names:
    runs = [driven_states(kind, sigma, 0.5, seed=0) for sigma in sigmas]
    formula.append(np.array([math.prod(typical_factor(run.states[10:], run.W_hh)) for run in runs]))
    by_sigma = [lengths_of_starts(kind, sigma, 0.5, seeds=range(3)) for sigma in sigmas]
    measured.append(np.array([fitted_factors(found) for found in by_sigma]))
ax = plots.factor_lines(sigmas, measured, formula, names, what, bound=sigmas)
plots.show(ax, "Where does each kind pass 1, and where does the bound?")

# %% [markdown]
# The factor passes 1 near 1.6 (orthogonal) and near 3.1 (Gaussian), the bound at 1. Three reasons why the
# factor stays behind: not all singular values are the largest; not all slopes are 1; and the larger the
# weights, the larger the states and the **flatter** the slopes. So $\sigma_1 > 1$ is **necessary** for an
# explosion and not **sufficient**. The lecture's claim, checked on full products:

# %% id="bound-claim"
holds, checked = [], [("gaussian", 1.0), ("gaussian", 3.0), *starts[:4]]
for kind, sigma in checked:
    run = driven_states(kind, sigma, 0.5, seed=1)
    for lag in [1, 5, 20, 60, 100]:
        P = torch.func.jacrev(end_from(run, lag))(run.states[-1 - lag])
        most = torch.linalg.matrix_norm(P, 2).item()
        holds.append(most <= sigma**lag * (1 + 1e-9))
        if sigma <= 1:
            holds.append(most < 1)  # no explosion without a value above 1
        if sigma == 1.5:
            holds.append(most < 20)  # above 1, and no explosion either
claim("horizon.bound", holds)

# %% [markdown]
# What an explosion costs: at $\sigma_1 = 3$ a loss 100 steps later moves the weights $10^{12}$ times as
# much as a loss at hand. After one update the weights are useless. Lesson 08 looks at a run that dies so.

# %% [markdown]
# **Check yourself.** $\sigma_1 = 1.2$. What is certain?
#
# - **a** gradients explode
# - **b** nothing: it depends on slopes and directions
# - **c** nothing vanishes, since the bound allows growth

# %% id="concept-bound"
concept_check("07.bound", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. A bound above 1 promises nothing. Only $\sigma_1 < 1$ decides something: the gradient vanishes.
#
# </details>

# %% [markdown]
# ## Recall
#
# What does a horizon do to learning? Here is a task with nothing else in it: read $T$ random symbols out of
# eight, then **name the first one**. Guessing is right one time in eight.
#
# *Can* a plain unit do it? The signs of three numbers spell eight symbols. Let each of three units be the
# latch of lesson 05: it reads its sign with weight 0.5 and itself with weight 4.
#
# **Predict.** What share is right after 5 steps, after 1000? And what is the factor of a step?

# %% id="by-hand-latch"
spelling = torch.tensor([[1 - 2 * (s >> i & 1) for i in range(3)] for s in range(8)]).double()
symbols = torch.randint(8, (2000, 1000), generator=torch.Generator().manual_seed(7))
h = torch.zeros(2000, 3, dtype=torch.float64)
for t in range(1000):
    h = torch.tanh(0.5 * spelling[symbols[:, t]] + 4 * h)
    if t + 1 in (5, 50, 1000):
        right = ((h @ spelling.T).argmax(dim=1) == symbols[:, 0]).double().mean()
        print(f"T = {t + 1}: {right:.0%} right, factor a step {(4 * (1 - h**2)).mean():.3f}")

# %% [markdown]
# All of them, after any number of steps. So good weights exist. But look at the factor, 0.008: what shields
# a symbol from a thousand others also shields it from the gradient.
#
# Now let training find them: $H = 32$, Adam with a rate of 0.003, 1500 updates on fresh batches of 64.
# PyTorch draws all weights uniformly up to $\pm 1/\sqrt{H}$, so the root mean square of the singular values
# of $W_{hh}$ is $1/\sqrt{3} = 0.58$.
#
# **Predict.** At $T$ = 5, 10, 20, 50: what share is right after training? And before the first update the
# gradient at $h_T$ is about 0.5 long: how long is it at $h_1$?

# %% id="recall-live" tags=["nbval-ignore-output"]
short = [train("rnn", T, seeds=[0, 1, 2]) for T in (5, 10)]
for T, trained in zip([5, 10], short, strict=True):
    print(f"T = {T}: right answers of three seeds {trained.accuracy.tolist()}")

# %% id="recall-short-claim" tags=["nbval-ignore-output"]
claim("horizon.recall_short", torch.cat([trained.accuracy for trained in short]).numpy())

# %% [markdown]
# The rest is recorded (`data/recall.json` says with which command): eight seeds each.

# %% id="recall-figure"
recorded = records.runs("recall", cell="rnn", updates=1500)
distances = [run["T"] for run in recorded]
ax = plots.recall_dots(distances, [np.array(run["accuracy"]) for run in recorded], chance=1 / 8)
plots.show(ax, "A dot is a run: at which length do the right answers end?")
print("T    gradient at h_1, a step   right at the end, seeds 0 to 7")
for run in recorded:
    first, last = np.array(run["first"])[:, 0], np.array(run["last"])[:, 0]
    size, step = (np.exp(np.log(row).mean()) for row in (first, (first / last) ** (1 / (run["T"] - 1))))
    print(f"{run['T']:2}  {size:8.1g}  {step:6.2f}   ", *(f"{right:.2f}" for right in run["accuracy"]))

# %% id="recall-long-claim"
claim("horizon.recall_long", recorded[-1]["accuracy"][:3])

# %% [markdown]
# - Before the first update the factor is 0.56 at every length: 0.58 times slopes near 1. So $10^{-6}$ lies
#   24 steps back. Where the gradient at $h_1$ starts below $10^{-6}$, at 30 and 50, all runs but one fail;
#   where it starts above $10^{-3}$, all but one succeed.
# - **The border is no line.** At 15 and 20 steps it depends on the seed. Seed 4 at $T = 10$ ends at 0.86,
#   and seed 5 at $T = 50$ at 0.99. Three seeds would have shown neither.
# - **Nor is a seed a fate.** The same seed on another machine, where sums round differently in the last
#   digit, may end elsewhere (lesson 09 shows it). Near the border only shares of many runs mean something.
#
# Accuracy and gradient while they train, eight seeds together:

# %% id="training-figure"
some = [run for run in recorded if run["T"] in (10, 15, 20, 50)]
names, at = [f"T = {run['T']}" for run in some], some[0]["at"]
left, right = plots.panels(2, width=4.4)
rows_right = [np.mean(run["accuracies"], axis=0) for run in some]
plots.while_training(at, rows_right, names, "right answers", level=1 / 8, legend=False, ax=left)
at_first = [np.exp(np.log(run["first"]).mean(axis=0)) for run in some]
plots.while_training(at, at_first, names, "gradient at $h_1$", log=True, ax=right)
plots.show(left, "The longer the sequence, the smaller the gradient at step 1 and the fewer right answers.")

# %% [markdown]
# The two fall together. At $T = 10$ the gradient **rises** within 150 updates, a thousandfold, and then
# falls because the loss does. At $T = 50$ it stays below $10^{-7}$ in the mean. In seven of eight runs the
# loss stands at $\ln 8 = 2.08$ (seed 5 alone lifts the dotted line at the end). Its gradient at $h_T$ stays
# above 0.19: the loss asks for a change, and step 1 does not hear of it.
#
# Single runs are less smooth. (Needs a running kernel; the table above holds their ends.)
#
# **Predict, then browse.** $T = 50$, seed 5: what comes first, right answers or the gradient? $T = 10$, seed
# 4: it had all answers right; what happened? $T = 20$, seed 0: half its answers are right. Will it learn the
# other half?

# %% id="recall-browser"
widgets_horizon.recall_browser(recorded)

# %% [markdown]
# <details><summary>Answers</summary>
#
# First the gradient. For 1000 updates it wanders between $10^{-12}$ and $10^{-6}$, then it rises to 5.6 (a
# factor of 1.05 a step) within a hundred, and 50 updates later the answers come. That was luck, in one run
# of eight.
#
# Seed 4 at $T = 10$: all right from update 200 to 750, then the factor rises to 1.4 and the gradient at $h_1$
# to 13. A few steps of that size, and the answers are lost. Lesson 08 stops this.
#
# Hardly: its gradient at $h_1$ falls to $10^{-12}$. What it knows it holds as the latch does, in units
# whose slopes are nearly 0; the same slopes keep out what it does not know.
#
# </details>
#
# The statements about single runs, checked on the recorded ones:

# %% id="recorded-runs"
by_distance = {run["T"]: run for run in recorded}
assert by_distance[10]["accuracy"][4] < 0.95 < by_distance[50]["accuracy"][5]
assert sum(right > 0.95 for right in by_distance[50]["accuracy"]) == 1
assert max(by_distance[10]["first"][4][16:19]) > 10  # near update 850
assert by_distance[20]["first"][0][-1] < 1e-9

# %% [markdown]
# This is the dilemma: **to hold something safely a plain unit must be flat, and where it is flat no
# gradient passes.** Bengio and others showed it in 1994.
#
# **Check yourself.** At $T = 50$ the loss has not moved in 1000 updates. What attacks the cause?
#
# - **a** a learning rate a million times as large
# - **b** a thousand times as many sequences a batch
# - **c** a start whose factor lies nearer 1

# %% id="concept-recall"
concept_check("07.recall", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **c**. The part of the gradient that comes from step 1 is not noisy but small beside that from the last
# steps, and **a** enlarges both.
#
# </details>

# %% [markdown]
# ## Stacks
#
# In a stack, layer $l$ reads the states of layer $l - 1$ through a matrix of its own. From the last state
# of the top layer to the first of the bottom layer there are now many ways.
#
# **Predict.** Four steps, three layers, moving only back in time or down: how many paths are there? And how
# many factors (a matrix and a slope each) on each of them?

# %% id="paths-figure"
found = list(paths(4, 3))
ax = plots.stack_paths(4, 3, [found[0], found[4], found[9]])
plots.show(ax, "Three of the paths from the last state of the top layer to the first of the bottom layer.")
print(len(found), "paths, factors on each:", {len(path) - 1 for path in found})

# %% shows="course_utils.depth.paths" id="path-list"

# %% id="paths-claim"
sizes = [(T, L) for T in range(1, 9) for L in range(1, 6)]
counted = [sum(1 for _ in paths(T, L)) for T, L in sizes]
assert all(len(path) - 1 == T + L - 2 for T, L in sizes for path in paths(T, L))
assert counted == [math.comb(T + L - 2, L - 1) for T, L in sizes]
claim("horizon.stack_paths", counted[-1], stated=math.comb(8 + 5 - 2, 5 - 1))

# %% [markdown]
# A path has $T - 1$ moves back and $L - 1$ moves down, in any order: $\binom{T+L-2}{L-1}$ paths of
# $T + L - 2$ factors. The gradient is the sum over all of them:

# %% id="sum-of-paths"
generator = torch.Generator().manual_seed(7)
layers = start_stack("orthogonal", 3, 5, generator)
terms, end = (torch.randn(*shape, generator=generator).double() for shape in [(4, 5), (5,)])
states, _ = run_stack(terms, layers)
total = sum(along_path(path, states, layers, end)[-1] for path in found)
autograd = through_all_paths(terms, layers, end)[-1]
print(f"sum of ten paths {total.norm():.6f}, autograd {autograd:.6f}")

# %% [markdown]
# **Predict.** Orthogonal matrices throughout, $\sigma_1 = 1$. Does a stack of four layers see further back
# than one layer, or less far? Think of one path first, then of their number. And with *residual
# connections*, where each upper layer hands on its state **plus** what it has read?


# %% id="depth-runs"
def measure(L, seed, T=81, H=64):
    """Lengths by lag in the lowest L of four layers: one path, all paths, all with residual connections."""
    generator = torch.Generator().manual_seed(seed)
    layers = start_stack("orthogonal", 4, H, generator)[:L]
    terms = torch.randn(T, H, generator=generator).double() / 2
    ends = torch.randn(32, H, generator=generator).double()
    ends /= ends.norm(dim=1, keepdim=True)
    states, _ = run_stack(terms, layers)
    down_first = [(T, layer) for layer in range(L, 0, -1)] + [(t, 1) for t in range(T - 1, 0, -1)]
    carried = along_path(down_first, states, layers, ends)[L - 1 :]  # (T, 32, H)
    single = carried.norm(dim=2).square().mean(dim=1).sqrt()
    together = [through_all_paths(terms, layers, ends[0], residual) for residual in (False, True)]
    return torch.stack([single, *together]).numpy()


depth = {L: np.array([measure(L, seed) for seed in range(8)]) for L in (1, 2, 3, 4)}  # (8, 3, T)

# %% id="depth-figure"
left, right = plots.panels(2, width=4.6)
means = {L: np.exp(np.log(values).mean(axis=0)) for L, values in depth.items()}  # (3, T)
names = ["1 layer", "4, one path", "4, all paths", "4, residual"]
rows_by_lag = [means[1][1:2], means[4][0:1], means[4][1:2], means[4][2:3]]
plots.carried(rows_by_lag, names, ax=left)
at_end = [np.array([depth[L][:, way, 0] for L in depth]) for way in (1, 2)]
plots.by_depth(list(depth), at_end, ["plain", "residual"], "gradient $L - 1$ layers down", ax=right)
plots.show(left, "Against the lag (left) and, at the last step, against the number of layers (right).")

# %% id="depth-numbers"
steps = {L: [int((row < 1e-6).argmax()) for row in values] for L, values in means.items()}
for L, (single, together, residual) in steps.items():
    print(f"{L} layers, below 1e-6 after: one path {single}, all paths {together}, residual {residual} steps")
slopes = {L: (values[:, 80] / values[:, 50]) ** (1 / 30) for L, values in means.items()}
print("factor a step, lags 50 to 80, all paths:", *(f"{row[1]:.3f}" for row in slopes.values()))

# %% [markdown]
# - **Along one path** the horizon shrinks, from 52 steps to 48: each further layer is one more factor of
#   about 0.75, one step less. (With one layer there is one path; 52 and 51 differ by the directions sent
#   back, 32 and one.)
# - **All paths together** last longer, 65 steps in place of 51: for a while their number, which grows like
#   $T^{L-1}$, makes up for the loss. But a power of $T$ loses against $\gamma^T$, and the factor a step
#   comes back to that of one layer. So the lecture's sentence, that a stack shortens the horizon of a
#   single layer, is true of each path; of the sum only the slope is the same.
# - **Residual connections** mend the way down: at the last step, three layers down, 0.4 of the gradient is
#   left in a plain stack and more than all of it in a residual one. Along time they mend nothing (61 steps,
#   plain 65).

# %% id="stack-claim"
fewer = [0 < steps[1][0] - steps[L][0] <= L for L in (2, 3, 4)]
same_slope = [abs(slopes[L][way] - slopes[1][1]) < 0.03 for L in (2, 3, 4) for way in (0, 1, 2)]
down = [means[L][1, 0] < 0.9 ** (L - 1) for L in (2, 3, 4)]
restored = [means[L][2, 0] >= 1 for L in (2, 3, 4)]
claim("horizon.stack_shortens", [*fewer, *same_slope, *down, *restored])

# %% [markdown]
# ## Summary
#
# - Carried back, a gradient is multiplied by one factor a step, $\gamma$: a straight line on a log axis.
#   Orthogonal with $\sigma_1 = 1$: 0.76, 50 steps to $10^{-6}$; Gaussian: 0.43, 16 steps.
# - $\gamma$ is nearly the root mean square of the singular values times that of the slopes. Louder inputs
#   and larger states flatten the slopes. $\sigma_1 > 1$ is needed for an explosion and not enough: at 1.5
#   there is none, at 3 it is $10^{12}$ in 100 steps.
# - Three units can do recall over any length; at 50 steps seven of eight trainings do not find it, for the
#   gradient at step 1 starts at $4 \cdot 10^{-13}$. What holds a symbol safely has flat slopes. More layers
#   add paths and leave the factor; residual connections mend the way down, not the way back.
#
# **Two open questions.** A run lost its answers to a few large gradients: can they be cut off without losing
# the direction? And must a state be *replaced* at every step? A state that is only **added to** would have
# the factor 1.
#
# **Sources.** The lecture "Recurrent Neural Networks" (EE 641, Unit 4A); the blog post and the note of the
# course; Y. Bengio, P. Simard and P. Frasconi (1994); R. Pascanu, T. Mikolov and Y. Bengio (2013); K. He and
# others (2016) for residual connections; S. Schoenholz and others (2017) for the two root mean squares.
#
# The exercise is ex07. Next, lesson 08: two repairs that help. Lesson 09: one that changes the game.
