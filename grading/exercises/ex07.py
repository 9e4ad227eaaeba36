# %% [markdown]
# # Exercise 07: The horizon
#
# Twenty points, about 70 minutes, after lesson 07. The lesson carried back one gradient of one sequence,
# fitted its factor over all lags, and counted the paths of a plain stack. Here you make the whole products
# for a batch, fit over lags of which some are out of the computer's range, count whole steps through a stack,
# count paths that skip steps, and build the batches of a harder recall.
#
# | question | points |
# |---|---|
# | 1 `jacobian_products` | 4 |
# | 2 `per_step_factor` | 3 |
# | 3 `horizon` | 3 |
# | 4 `path_count` | 3 |
# | 5 `recall_batch` | 3 |
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
# - Arrays come as torch tensors, batch first; some are not contiguous in memory: there `reshape` works and
#   `view` fails. Do not change an input in place; work on a clone. Single numbers are plain Python numbers.
# - Autograd and the functions of the lessons may be used wherever they do what is asked. Question 1 gives you
#   states that no forward pass made, so there is no graph to go back through.
#
# The unit is that of the lessons, $h_t = \tanh(W_{xh} x_t + W_{hh} h_{t-1} + b)$. Text counts steps from 1 to
# T, code from 0 to T - 1: `states[:, 0]` is $h_1$.

# %%
import math

import torch

from course_utils.checks import check, check_answer
from course_utils.horizon import carried_back, driven_states

# %% [markdown]
# ## 1. From each state to the last (4 points)
#
# How does the last state move with the state of step t? By the product of all Jacobians in between,
#
# $$\frac{dh_T}{dh_t} = J_T\, J_{T-1} \cdots J_{t+1}, \qquad J_t = \operatorname{diag}(1 - h_t^2)\, W_{hh},
# \qquad \frac{dh_T}{dh_T} = I .$$
#
# Row i belongs to unit i of $h_T$, column j to unit j of $h_t$. Write `jacobian_products`: all T of these
# matrices for each of B sequences.
#
# By hand, with B = 1, H = 2, T = 3, $h_2 = (0.5,\ 0)$ and $h_3 = (0,\ 0.5)$: the slopes are $(0.75,\ 1)$ at
# step 2 and $(1,\ 0.75)$ at step 3. They multiply the rows of $W_{hh}$:
#
# $$W_{hh} = \begin{pmatrix} 0 & 2 \\ 1 & 1 \end{pmatrix}, \qquad
# J_2 = \begin{pmatrix} 0 & 1.5 \\ 1 & 1 \end{pmatrix}, \qquad
# J_3 = \begin{pmatrix} 0 & 2 \\ 0.75 & 0.75 \end{pmatrix},$$
#
# $$\frac{dh_3}{dh_1} = J_3 J_2 = \begin{pmatrix} 2 & 2 \\ 0.75 & 1.875 \end{pmatrix} .$$
#
# In the result the three matrices stand in the order of the states: $J_3 J_2$, then $J_3$, then $I$. The
# state $h_1$ itself is not needed.


# %% answer="jacobian_products"
def jacobian_products(states, W_hh):
    """Multiply the Jacobians of the steps between each state and the last.

    Parameters
    ----------
    states : (B, T, H) tensor, h_1 to h_T, each number between -1 and 1; T >= 1.
    W_hh : (H, H) tensor.

    Returns
    -------
    (B, T, H, H) tensor: at [b, t] the matrix of sequence b by which the last state moves with states[b, t].
    """
    ...


# %% check="jacobian_products" points=4
check(jacobian_products)

# %% [markdown]
# Try it: the largest singular value of the product of several Jacobians, beside the product of their largest
# singular values. Why are the two not the same, and which one is a bound?

# %%
generator = torch.Generator().manual_seed(0)
W_hh = 1.5 * torch.linalg.qr(torch.randn(8, 8, generator=generator)).Q  # all singular values are 1.5
states = torch.tanh(torch.randn(1, 12, 8, generator=generator))
of_product = torch.linalg.matrix_norm(jacobian_products(states, W_hh)[0], 2)
of_steps = torch.linalg.matrix_norm((1 - states[0] ** 2)[:, :, None] * W_hh, 2)
for lag in (0, 1, 2, 5, 11):
    print(f"lag {lag:2}: {of_product[11 - lag]:.3f}, one by one {of_steps[12 - lag :].prod():.3f}")

# %% [markdown]
# ## 2. The factor a step (3 points)
#
# `norms` holds the length $\ell_k$ of a gradient at the lags $k = 0, 1, 2, \ldots$, counted back from the
# last step. The first lags are often not on the line yet, and after many the numbers leave the range of the
# computer: they become 0 or infinite. A lag that was not measured is stored as 0, too. So fit over the lags
# from `first` to `last`, **both included**, and leave out every length that is 0 or infinite. With $\bar k$
# the mean of the lags that are used, the line of least squares through the logarithms has the slope
#
# $$\ln \gamma = \frac{\sum_k (k - \bar k)\, \ln \ell_k}{\sum_k (k - \bar k)^2} .$$
#
# Write `per_step_factor`, which returns $\gamma$. By hand: the lengths are $(5,\ 8,\ 8,\ 2,\ 1,\ 0,\ 0)$, the
# lags 1 to 5. The 0 at lag 5 is left out; lags 1 to 4 remain, with the mean 2.5. In units of $\ln 2$ the
# logarithms are 3, 3, 1, 0:
#
# $$\frac{-1.5 \cdot 3 - 0.5 \cdot 3 + 0.5 \cdot 1 + 1.5 \cdot 0}{2.25 + 0.25 + 0.25 + 2.25} = -1.1,
# \qquad \gamma = 2^{-1.1} = 0.467 .$$
#
# (The first and the last length alone would give 0.5.) At least two lengths remain in every check.


# %% answer="per_step_factor"
def per_step_factor(norms, first, last):
    """Fit the factor by which a gradient's length is multiplied at each step.

    Parameters
    ----------
    norms : (n,) tensor, the lengths at lags 0 to n - 1; none is negative, some may be 0 or infinite.
    first, last : int, the range of lags, both included; 0 <= first < last < n.

    Returns
    -------
    a number (float, or tensor without axes): exp of the slope of the line through ln(length) over the lag.
    """
    ...


# %% check="per_step_factor" points=3
check(per_step_factor)

# %% [markdown]
# Try it: a Gaussian start of the lesson, 200 steps, in double and in single precision. From which lag on are
# the lengths 0 in single precision, whose smallest number is about $10^{-45}$? (A length is the root of a sum
# of squares.) What do the last lengths before that do to the factor?

# %%
run = driven_states("gaussian", 1.0, 0.5, seed=0, T=201)
double = carried_back(run.states, run.W_hh, run.end)
single = carried_back(run.states.float(), run.W_hh.float(), run.end.float())
print("lengths of 0 in single precision:", int((single == 0).sum()), "of 201")
for first, last in [(0, 50), (50, 100), (0, 200)]:
    factors = [float(per_step_factor(norms, first, last)) for norms in (double, single)]
    print(f"lags {first} to {last}: {factors[0]:.3f} and {factors[1]:.3f}")

# %% [markdown]
# ## 3. Whole steps to nothing (3 points)
#
# A gradient of length 1 starts at the last output of a stack. On its path it first goes down: from the top
# layer to the first there are `layers - 1` moves, and each multiplies its length by `down`. Then it goes back
# in time, and each step multiplies by `factor`. After k steps back the length is
#
# $$\text{down}^{\,\text{layers} - 1} \cdot \text{factor}^{\,k} .$$
#
# Write `horizon`: the **smallest whole number** of steps, k = 0, 1, 2, ..., after which **at most** `eps` is
# left. (The lesson's $T_\epsilon$ is the same without layers, and not rounded.)
#
# By hand, with factor 0.5, eps = 0.1, three layers and down = 0.8: 0.64 arrives below. Then 0.32, 0.16, 0.08:
# k = 3. With one layer it is 1, 0.5, 0.25, 0.125, 0.0625: k = 4.
#
# A loop or a logarithm, either will do. Three special cases follow from the definition:
#
# - No more than eps arrives below. The answer is 0, whatever the factor is.
# - More than that arrives, and the factor is 1 or larger. The gradient is never lost: return `math.inf`.
# - More than that arrives, and the factor is 0. Count for yourself.
#
# With residual connections `down` may be above 1. In the checks the length never equals eps at a whole step,
# so rounding decides nothing.


# %% answer="horizon"
def horizon(factor, eps, layers, down):
    """Count the steps back in time until a gradient is lost.

    Parameters
    ----------
    factor : float >= 0, by which a step back in time multiplies the length.
    eps : float between 0 and 1: at this length or below it the gradient counts as lost.
    layers : int >= 1.
    down : float > 0, by which a move down one layer multiplies the length.

    Returns
    -------
    int, the smallest number of steps with at most eps left; math.inf when there is none.
    """
    ...


# %% check="horizon" points=3
check(horizon)

# %% [markdown]
# Try it: the horizon at a millionth for a factor of 0.76, one to five layers, without and with residual
# connections. What does a layer cost, what does it bring?

# %%
print(f"one layer, by the lesson's formula: {math.log(1e-6) / math.log(0.76):.1f}")
for down in (0.75, 1.2):
    print(f"down {down}:", [horizon(0.76, 1e-6, layers, down) for layers in range(1, 6)])

# %% [markdown]
# ## 4. Shortcuts through time (3 points)
#
# In a stack with *skip connections in time* every layer reads, besides the layer below, **two** of its own
# earlier states: that of the step before, and that of `skip` steps before (each through a matrix of its own).
# A step t ≤ skip has no such second state to read.
#
# A path goes from the top layer at step T back to the first layer at step 1. From $(t, l)$ it can move to
#
# - $(t - 1,\ l)$, one step back, if t > 1,
# - $(t - \text{skip},\ l)$, if t > skip,
# - $(t,\ l - 1)$, one layer down, if l > 1.
#
# Every move multiplies the gradient by a slope and a matrix, one *factor*. Write `path_count`: how many
# different paths are there, and how many factors has the shortest?
#
# By hand, T = 4, L = 2, skip = 2. Three steps have to be gone back: as 1 + 1 + 1, as 1 + 2 or as 2 + 1. The
# one move down can come before, between or after them, at 4, 3 and 3 places: 10 paths. The shortest have two
# moves in time and one down: 3 factors. So the answer is (10, 3). Without skips there would be 4 paths, each
# of 4 factors.
#
# The number of paths from a node is the sum over the nodes that it can move to. You need not list them.


# %% answer="path_count"
def path_count(T, L, skip):
    """Count the paths through a stack with skip connections in time.

    Parameters
    ----------
    T, L : int, steps and layers, at least 1.
    skip : int >= 2, how many steps a skip goes back; it may be larger than T.

    Returns
    -------
    paths : int, the number of different paths from (T, L) to (1, 1).
    fewest : int, the number of factors on the shortest of them.
    """
    ...


# %% check="path_count" points=3
check(path_count)

# %% [markdown]
# Try it: fifty steps in one layer. How many factors do skips leave on the shortest path, and what would be
# left along it if each were 0.76?

# %%
for skip in (60, 2, 5, 10):
    paths, fewest = path_count(50, 1, skip)
    print(f"skip {skip:2}: paths {float(paths):9.3g}, shortest of {fewest} factors, {0.76**fewest:.1g} left")

# %% [markdown]
# ## 5. A harder recall (3 points)
#
# In the lesson the first symbol had to be named. Here a **cue** says which one: at one step of each row an
# additional channel is 1, and after the last real step the symbol of that step is to be named. So a batch
# holds many distances, and rows may end early.
#
# Write `recall_batch`. The random numbers are drawn already: `symbols` (B, T) holds symbols from 0 to V - 1,
# `cues` (B,) the **index** of the cued step of each row (0 is the first), `lengths` (B,) the number of real
# steps. Return three tensors:
#
# - the inputs (B, T, V + 1): the first V channels hold the one-hot symbol, the last channel is 1 at the cued
#   step and 0 elsewhere. Steps behind the length of a row are zeros in all channels. (`symbols` holds 0
#   there, but 0 is also a symbol.)
# - the targets (B,): the cued symbols, as numbers.
# - the lags (B,): how many steps the cued step lies before the last real one. So many Jacobians lie between.
#
# By hand, with V = 2, T = 3 and two rows:
#
# | symbols | cue | length | inputs, step by step | target | lag |
# |---|---|---|---|---|---|
# | 1, 0, 0 | 0 | 3 | (0, 1, **1**), (1, 0, 0), (1, 0, 0) | 1 | 2 |
# | 1, 0, 0 | 1 | 2 | (0, 1, 0), (1, 0, **1**), (0, 0, 0) | 0 | 0 |


# %% answer="recall_batch"
def recall_batch(symbols, cues, lengths, V):
    """Make inputs, targets and distances of a recall with a cue.

    Parameters
    ----------
    symbols : (B, T) tensor of ints from 0 to V - 1.
    cues : (B,) tensor of ints, 0 <= cue < length: the index of the step to be recalled.
    lengths : (B,) tensor of ints, 1 to T: the real steps of each row.
    V : int, how many symbols there are; not all of them need occur.

    Returns
    -------
    inputs : (B, T, V + 1) tensor of zeros and ones.
    targets : (B,) tensor, the cued symbols.
    lags : (B,) tensor, steps from the cued to the last real one.
    """
    ...


# %% check="recall_batch" points=3
check(recall_batch)

# %% [markdown]
# Try it: a thousand rows of 5 to 60 steps, cued at random. The lesson's unit starts with a factor of 0.56, so
# a millionth is left after 24 steps. Which share of the rows asks for more?

# %%
generator = torch.Generator().manual_seed(0)
lengths = torch.randint(5, 61, (1000,), generator=generator)
symbols = torch.randint(8, (1000, 60), generator=generator)
symbols[torch.arange(60) >= lengths[:, None]] = 0
cues = (torch.rand(1000, generator=generator) * lengths).long()
inputs, targets, lags = recall_batch(symbols, cues, lengths, 8)
print(inputs.shape, f"beyond 24 steps: {(lags > 24).double().mean():.0%}, longest lag {lags.max()}")

# %% [markdown]
# ## 6. Along the line (1 point)
#
# The length of a gradient is 1 at lag 0. From lag <<near>> on the logarithms lie on a line: the length is
# <<begin>> at lag <<near>> and <<end>> at lag <<far>>. At which lag is it a millionth, 0.000001? Answer with
# a number.

# %% answer="lag_of_a_millionth"
lag_of_a_millionth = ...

# %% check="lag_of_a_millionth" points=1
check_answer("lag_of_a_millionth", lag_of_a_millionth)

# %% [markdown]
# ## 7. Beyond the bound (1 point)
#
# A plain unit of one layer has a $W_{hh}$ whose largest singular value is 0.95. Its measured factor is 0.7 a
# step. Without touching $W_{hh}$, after 300 steps a millionth of the gradient should still be left. What can
# bring that about?
#
# - **a** inputs so quiet that all slopes are nearly 1
# - **b** a gradient that lies in the direction which the steps stretch most
# - **c** both together, though neither alone
# - **d** none of these
#
# Answer with a letter in quotes. The visible check looks at the form only; whether it is right, and why, is
# said after grading.

# %% answer="beyond_the_bound"
beyond_the_bound = ...

# %% check="beyond_the_bound" points=1
check_answer("beyond_the_bound", beyond_the_bound)

# %% [markdown]
# ## 8. Sixty symbols (2 points)
#
# A colleague trains a plain unit to name the first of 60 symbols out of eight. The loss stands at
# $\ln 8 = 2.08$. She writes: "The largest singular value of my W_hh is 1.3, and 1.3 to the power 59 is five
# million. So the gradient explodes. I clip it to 1 and take a tenth of the learning rate, but the loss does
# not move. Next I will stack four layers. Then there are 37,820 paths in place of one, and enough of the
# gradient will get back." She also sends you the lengths of the gradient on its way back before training. You
# fit a factor of 0.7 a step.
#
# What is wrong with her first conclusion? What does 0.7 say about 60 symbols? What will the stack do? What
# would you change, and what would you measure before training again? Answer in the cell below in six to
# twelve sentences. A person reads and marks this answer.

# %% [markdown] written="horizon_argument" points=2
# A largest singular value of 1.3 is a bound: it allows growth and promises none. A gradient meets all
# singular values, not the largest alone, and the slopes of the tanh besides, and both together leave 0.7 a
# step. So the gradient vanishes. Clipping shortens what is too long, and a smaller rate makes it smaller
# still.
#
# At 0.7 a millionth is left after 39 steps. From the last of 60 symbols to the first there are 59, and
# $0.7^{59} = 7 \cdot 10^{-10}$. The loss stands because nothing tells the weights about the first symbol.
#
# In the stack each of the 37,820 paths has 62 factors in place of 59. Even if a move down cost no more
# than a step and all of them added up in one direction, $37820 \cdot 0.7^{62}$ is about $10^{-5}$, and they
# do not. The sum lasts somewhat longer than one path, but its factor a step is again near that of one layer:
# a power of T loses against $\gamma^T$.
#
# I would bring the factor nearer to 1 at the start: an orthogonal W_hh, scaled and with inputs so quiet that
# the fit gives nearly 1, and I would fit again before training and after some hundred updates, since training
# moves it. What lasts is a unit that adds to its state instead of replacing it.
