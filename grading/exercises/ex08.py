# %% [markdown]
# # Exercise 08: Conditioning
#
# Twenty points, about 70 minutes, after lesson 08. The lesson clipped with PyTorch's functions, drew its
# starts with PyTorch's and normalised one sum. Here you write what is inside: both kinds of clipping, an
# orthogonal matrix of any shape, a step that normalises its two sums apart, and one whole update in the
# right order.
#
# | question | points |
# |---|---|
# | 1 `clip_by_norm` | 4 |
# | 2 `clip_by_value` | 3 |
# | 3 `orthogonal_` | 3 |
# | 4 `layernorm_rnn_step` | 3 |
# | 5 `training_step` | 3 |
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
# - PyTorch's own functions may be used wherever they do what is asked. Mind where they do something else.
#
# The unit is that of the lessons, $h_t = \tanh(W_{xh} x_t + W_{hh} h_{t-1} + b)$.

# %%
import torch

from course_utils.cells import rnn_forward
from course_utils.checks import check, check_answer

# %% [markdown]
# ## 1. One length for all (4 points)
#
# A model has several weights, so its gradient comes as a list of tensors of any shapes. Its length is that
# of *one* long vector: the root of the sum of the squares of all numbers of all tensors. Write
# `clip_by_norm`: when the length exceeds the limit c, all tensors are multiplied by one factor that brings
# it to c; otherwise they come back as they were.
#
# By hand: $(3, 0)$ and $(4)$ have the lengths 3 and 4, together 5. With c = 1 the factor is 0.2: $(0.6, 0)$
# and $(0.8)$. With c = 6 nothing changes.
#
# One more rule, for runs in half precision: when a number is infinite, the length is, too, and no direction
# is left. Then return zeros, so that the update is skipped. (What does c / ∞ times ∞ give?)


# %% answer="clip_by_norm"
def clip_by_norm(gradients, limit):
    """Shorten gradients by one common factor.

    Parameters
    ----------
    gradients : list of tensors of any shapes.
    limit : float > 0, the largest length of all of them together.

    Returns
    -------
    list of tensors of the same shapes, at most ``limit`` long together; zeros when a number was infinite.
    """
    ...


# %% check="clip_by_norm" points=4
check(clip_by_norm)

# %% [markdown]
# Try it: the same gradients, ever longer. From where on does the result stay?

# %%
gradients = [torch.tensor([0.1, 0.2]), torch.tensor([[0.2]])]
for scale in (1, 10, 100, 1000):
    print(scale, clip_by_norm([scale * gradient for gradient in gradients], 3.0))

# %% [markdown]
# ## 2. Each number on its own, and what it turns (3 points)
#
# Write `clip_by_value` for one tensor: each number is cut to the range from $-c$ to $c$. It also returns
# how far that turns the gradient, as the **cosine** of the angle between the gradient before and after,
#
# $$\cos = \frac{\sum \text{before} \cdot \text{after}}
# {\lVert \text{before} \rVert\, \lVert \text{after} \rVert}$$
#
# over all numbers of the tensor. 1 says that the direction is kept. A gradient of zeros has no direction:
# return 1 for it.
#
# By hand: $(3, 0.4)$ with c = 1 becomes $(1, 0.4)$. The cosine is $3.16 / (3.027 \cdot 1.077) = 0.969$.


# %% answer="clip_by_value"
def clip_by_value(gradient, limit):
    """Cut each number of a gradient, and say how far that turns it.

    Parameters
    ----------
    gradient : tensor of any shape.
    limit : float > 0, the largest size of a number.

    Returns
    -------
    clipped : tensor of the same shape.
    cosine : a number (float, or tensor without axes), of the angle between ``gradient`` and ``clipped``.
    """
    ...


# %% check="clip_by_value" points=3
check(clip_by_value)

# %% [markdown]
# Try it: one number of a hundred is large. How far does a limit of 1 turn the gradient?

# %%
for largest in (1.0, 3.0, 10.0, 100.0):
    gradient = torch.full((100,), 0.5)
    gradient[0] = largest
    print(f"largest {largest:5}: cosine {float(clip_by_value(gradient, 1.0)[1]):.3f}")

# %% [markdown]
# ## 3. An orthogonal start (3 points)
#
# QR writes a matrix as $G = Q R$: the columns of Q have length 1 and stand at right angles, R is upper
# triangular. The Q of random numbers is a random orthogonal matrix, but for one thing: each column of Q may
# carry either sign (with the opposite sign in the same row of R), and which one the routine picks is not
# random. The rule that makes Q unique: **the diagonal of R is positive**.
#
# Write `orthogonal_` for random numbers G of shape (m, n). If m ≥ n, its n *columns* are orthonormal. If m
# < n, there cannot be n such columns: then its m *rows* are, and Q comes from $G^\top$. Multiply the result
# by `gain`.
#
# By hand, G = (3 1; 4 -7), gain 1. The first column has length 5: $(0.6, 0.8)$. Of the second column,
# $(1, -7)$, the part along the first is $0.6 - 5.6 = -5$; taken away it leaves $(4, -3)$, of length 5:
# $(0.8, -0.6)$.
#
# (PyTorch's `nn.init.orthogonal_` draws G itself and fills a tensor in place, which is what the underscore
# says. Here G comes in and a matrix is returned, so that there is one right answer.)


# %% answer="orthogonal_"
def orthogonal_(gaussian, gain):
    """Make a matrix with orthonormal columns (or rows) from random numbers.

    Parameters
    ----------
    gaussian : (m, n) tensor of rank min(m, n).
    gain : float, a factor for the result.

    Returns
    -------
    (m, n) tensor: the Q of QR with a positive diagonal of R, times gain; of the transposed if m < n.
    """
    ...


# %% check="orthogonal_" points=3
check(orthogonal_)

# %% [markdown]
# Try it: the three recurrent matrices of a larger unit, stacked as PyTorch keeps them, (12, 4). All columns
# together are orthonormal. Is the first block of four rows an orthogonal matrix?

# %%
W = orthogonal_(torch.randn(12, 4, generator=torch.Generator().manual_seed(0)), 1.0)
print("singular values of the whole:", torch.linalg.svdvals(W).numpy().round(3))
print("of its first block:", torch.linalg.svdvals(W[:4]).numpy().round(3))

# %% [markdown]
# ## 4. Two sums, normalised apart (3 points)
#
# The lesson normalised the sum of everything, so a large input could push the state's share down. Here input
# and state are normalised **apart**, each with a gain for every unit, and the bias is added afterwards:
#
# $$h_t = \tanh\Big(\text{gain}_x \odot N(W_{xh}\, x_t) + \text{gain}_h \odot N(W_{hh}\, h_{t-1}) + b\Big),
# \qquad N(a) = \frac{a - m}{\sqrt{v + \varepsilon}}$$
#
# The mean m and the variance v of a are taken over the H units of one row; $v$ is the mean of $(a - m)^2$, so
# divide by H.
#
# By hand, with H = 2, d = 1 and an $\varepsilon$ too small to matter: $x_t = 2$ and $W_{xh} = (1; -1)$ give
# $a = (2, -2)$, so m = 0, v = 4 and $N(a) = (1, -1)$. From h = 0 the other sum is 0, and N(0) = 0. With gains
# of 1 and $b = (0, 1)$ the states are $\tanh(1, 0) = (0.762, 0)$.
#
# In most checks $\varepsilon$ is between 0.1 and 0.3, far larger than in use, so that it matters where it
# stands.


# %% answer="layernorm_rnn_step"
def layernorm_rnn_step(x_t, h, W_xh, W_hh, b, gain_x, gain_h, eps):
    """One step of the plain unit with both sums normalised over the units.

    Parameters
    ----------
    x_t : (B, d) tensor, the inputs of this step.
    h : (B, H) tensor, the states before it.
    W_xh, W_hh, b : (H, d), (H, H) and (H,) tensors.
    gain_x, gain_h : (H,) tensors.
    eps : float, added to each variance.

    Returns
    -------
    (B, H) tensor, the states after it.
    """
    ...


# %% check="layernorm_rnn_step" points=3
check(layernorm_rnn_step)

# %% [markdown]
# Try it: the same step with W_xh a thousand times as large, then with W_hh. What changes in the states?

# %%
generator = torch.Generator().manual_seed(1)
x_t, h, W_xh, W_hh = (torch.randn(size, generator=generator) for size in [(2, 3), (2, 4), (4, 3), (4, 4)])
rest = torch.zeros(4), torch.ones(4), torch.ones(4), 1e-5
for name, step in [
    ("as it is", layernorm_rnn_step(x_t, h, W_xh, W_hh, *rest)),
    ("1000 W_xh", layernorm_rnn_step(x_t, h, 1000 * W_xh, W_hh, *rest)),
    ("1000 W_hh", layernorm_rnn_step(x_t, h, W_xh, 1000 * W_hh, *rest)),
]:
    print(f"{name:10}", step[0].numpy().round(3))

# %% [markdown]
# ## 5. One update (3 points)
#
# Write `training_step`: one update of plain gradient descent, `w - rate * gradient`, of all three weights
# of a plain unit on one batch, clipped. The loss compares the **last** state with a target, as half the
# squared distance, averaged over the B sequences:
#
# $$L = \frac{1}{2B} \sum_{\text{rows}} \lVert h_T - \text{target} \rVert^2, \qquad h_0 = 0$$
#
# `old_gradients` is what the batch before left in `.grad` of the weights. It has no part in this update; a
# loop that gets the order wrong lets it in. Return the three new weights, and the length of this batch's
# gradient **before** clipping, which is what one logs.
#
# By hand, with T = B = H = d = 1: x = 0, $W_{hh} = W_{xh} = 1$, b = 0 and a target of -2. Then $h_1 = 0$,
# the slope is 1, and the gradient of b is $0 + 2 = 2$; those of $W_{xh}$ and $W_{hh}$ are 0, for x and
# $h_0$ are. The length is 2. With a limit of 0.5 the factor is 0.25, and with the rate 0.1 the new b is $0
# - 0.1 \cdot 0.5 = -0.05$.
#
# You may make leaves with `requires_grad_()`, set their `.grad` to clones of the old gradients, and use the
# four calls of the lesson with `torch.optim.SGD`. Return tensors without a history (`detach`).


# %% answer="training_step"
def training_step(x, targets, W_xh, W_hh, b, old_gradients, rate, limit):
    """Make one clipped update of plain gradient descent.

    Parameters
    ----------
    x : (B, T, d) tensor, the inputs; T >= 1.
    targets : (B, H) tensor, where the last states should be.
    W_xh, W_hh, b : (H, d), (H, H) and (H,) tensors.
    old_gradients : list of three tensors, what the weights' ``.grad`` holds from the batch before.
    rate : float, the learning rate.
    limit : float > 0, the largest length of the gradient of all weights together.

    Returns
    -------
    (W_xh, W_hh, b, length) : the three new weights; the length of the gradient before clipping.
    """
    ...


# %% check="training_step" points=3
check(training_step)

# %% [markdown]
# Try it: thirty updates on one batch, with a limit and practically without. The rate is large. (The
# lengths are those before clipping.)

# %%
generator = torch.Generator().manual_seed(5)
sizes = [(4, 8, 3), (4, 5), (5, 3), (5, 5), (5,)]
x, targets, W_xh, W_hh, b = (torch.randn(size, generator=generator) for size in sizes)
for limit in (1.0, 1e9):
    weights, lengths = [W_xh, 2 * W_hh, b], []
    for _ in range(30):
        *weights, length = training_step(x, targets, *weights, [0 * w for w in weights], 0.5, limit)
        lengths.append(float(length))
    error = rnn_forward(x, *weights)[:, -1] - targets
    print(f"limit {limit:g}: longest gradient {max(lengths):.1f}, loss {(error**2).sum() / 8:.2f} at the end")

# %% [markdown]
# ## 6. Three weights (1 point)
#
# The gradients of the three weights of a unit have the lengths <<first>>, <<second>> and <<third>>. They are
# clipped by norm, all together, with a limit of <<limit>>. How long is the second one afterwards? Answer with
# a number.

# %% answer="length_of_the_second"
length_of_the_second = ...

# %% check="length_of_the_second" points=1
check_answer("length_of_the_second", length_of_the_second)

# %% [markdown]
# ## 7. Ten times the weights (1 point)
#
# In the lesson's normalised unit, $h_t = \tanh(N(W_{xh} x_t + W_{hh} h_{t-1}))$ without a bias, $W_{xh}$
# and $W_{hh}$ are both multiplied by ten ($\varepsilon$ is negligible). What happens to the factor by which
# a step multiplies the gradient with respect to the state?
#
# - **a** it becomes ten times as large
# - **b** it nearly vanishes, for the units saturate
# - **c** it stays as it is
# - **d** it depends on the inputs
#
# Answer with a letter in quotes. The visible check looks at the form only; whether it is right, and why, is
# said after grading.

# %% answer="ten_times_the_weights"
ten_times_the_weights = ...

# %% check="ten_times_the_weights" points=1
check_answer("ten_times_the_weights", ten_times_the_weights)

# %% [markdown]
# ## 8. Three repairs and a long memory (2 points)
#
# A colleague trains a plain unit on a task with a memory of 100 steps. Her loop is
#
# ```
# optimizer.zero_grad()
# loss.backward()
# optimizer.step()
# torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
# ```
#
# and W_hh starts orthogonal. Now and then the loss jumps to that of guessing. She writes: "Clipping does
# not help, although no number of the gradient is larger than 1 when I print them. At least the gradient
# cannot vanish: the start is orthogonal."
#
# What is wrong with the order of the calls, what with the kind of clipping, and what with the last
# sentence? Will the mended loop learn to remember 100 steps? Answer in the cell below in five to ten
# sentences. A person reads and marks this answer.

# %% [markdown] written="repairs_argument" points=2
# The gradients are clipped when the step is done. What she prints is cut to 1, but no update ever used it,
# and the next `zero_grad` throws it away: her run is not clipped at all. Clipping belongs between
# `backward` and `step`.
#
# It should also be by length, `clip_grad_norm_`: by value each number is cut on its own, so the gradient
# turns, and with n numbers it may still be $\sqrt n$ long. The limit is best read off the lengths of the
# run itself, near their 90 % quantile, say.
#
# An orthogonal W_hh keeps lengths, but each step also multiplies by the slopes of the tanh, which are below
# 1: about 0.76 a step, $10^{-6}$ after 50 steps. And it is orthogonal only at the start; within a hundred
# updates training has moved it away.
#
# So no: the mended loop will survive its spikes, but clipping makes no short gradient longer. After 100 steps
# hardly anything is left to learn from. The unit itself has to change, so that it can keep its factor near 1.
