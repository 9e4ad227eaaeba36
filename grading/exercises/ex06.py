# %% [markdown]
# # Exercise 06: Backpropagation through time
#
# Twenty points, about 75 minutes, after lesson 06. The lesson went back through one sequence with a loss at
# its steps. Here you go back through a batch, collect every gradient, leave out padding, cut the way back
# into windows, and build the witness that checks it all.
#
# | question | points |
# |---|---|
# | 1 `bptt_deltas` | 4 |
# | 2 `bptt_gradients` | 4 |
# | 3 `masked_loss` | 3 |
# | 4 `truncated_bptt` | 3 |
# | 5 `numerical_gradient` | 2 |
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
# - Autograd and the imported `rnn_forward` may be used wherever they help. Questions 1 and 2 give you states
#   and gradients that no forward pass made, so there the recursion of the lesson is the straight way.
#
# The unit is that of the lessons, $h_t = \tanh(W_{xh} x_t + W_{hh} h_{t-1} + b)$. Text counts steps from 1 to
# T, code from 0 to T - 1: `states[:, 0]` is $h_1$, and $h_0$ comes separately as `h0`.

# %%
import torch

from course_utils.cells import rnn_forward
from course_utils.checks import check, check_answer

# %% [markdown]
# ## 1. The deltas of a batch (4 points)
#
# The *upstream* gradient $\partial L_t / \partial h_t$ is what the loss of step t alone says about the state
# $h_t$. The delta of a step is the gradient of the whole loss at its state. It has two sources, the loss of
# the same step and the step after:
#
# $$\delta_t = \frac{\partial L_t}{\partial h_t} + W_{hh}^\top \big( \delta_{t+1} \odot (1 - h_{t+1}^2) \big),
# \qquad \delta_T = \frac{\partial L_T}{\partial h_T}$$
#
# Write `bptt_deltas` for B sequences at once. By hand, with B = 1, H = 1, T = 3: upstream gradients
# $(0.5,\ 0.28,\ 1)$, states $(0.6,\ 0.5,\ 0.8)$, $W_{hh} = 2$, from the end:
#
# | step | from the step after | upstream | delta |
# |---|---|---|---|
# | 3 | | 1 | 1 |
# | 2 | 2 · 1 · (1 - 0.8²) = 0.72 | 0.28 | 1 |
# | 1 | 2 · 1 · (1 - 0.5²) = 1.5 | 0.5 | 2 |
#
# The state $h_1 = 0.6$ is not needed yet. The formula has columns; in code the delta of a sequence is a *row*
# of an array `(B, H)`. Think about what $W_{hh}^\top \delta$ becomes then.
#
# A padded row needs no care here: where the loss does not count, the upstream gradient is 0.


# %% answer="bptt_deltas"
def bptt_deltas(upstream, states, W_hh):
    """Carry the gradient from the last step back to the first.

    delta_t = upstream_t + W_hh^T (delta_(t+1) * (1 - h_(t+1)^2))

    Parameters
    ----------
    upstream : (B, T, H) tensor, the gradient of each step's own loss at its state; T >= 1.
    states : (B, T, H) tensor, h_1 to h_T, each number between -1 and 1.
    W_hh : (H, H) tensor.

    Returns
    -------
    (B, T, H) tensor, the gradient of the whole loss at each state.
    """
    ...


# %% check="bptt_deltas" points=4
check(bptt_deltas)

# %% [markdown]
# Try it: a loss at the end of six steps, states of 0 and then of 0.9. How much of the 1 arrives at the first
# step?

# %%
upstream = torch.zeros(1, 6, 1)
upstream[:, -1] = 1.0
for height in (0.0, 0.9):
    print(height, bptt_deltas(upstream, torch.full((1, 6, 1), height), torch.tensor([[1.0]])).flatten())

# %% [markdown]
# ## 2. From deltas to gradients (4 points)
#
# A delta sits at the state, behind the tanh. Through the tanh it becomes $\delta_t \odot (1 - h_t^2)$, the
# gradient *inside*, at the sum $W_{xh} x_t + W_{hh} h_{t-1} + b$. From there it reaches everything that went
# into the sum. Every step of every sequence used the same $W_{xh}$, $W_{hh}$ and $b$, so their gradients are
# **sums** over all steps and all sequences. Each $x_t$ and each $h_0$ was used once.
#
# Write `bptt_gradients`. By hand, the three steps of question 1, with $x = (1,\ 0,\ -1)$, $h_0 = 0.5$,
# $W_{xh} = 3$ (and $W_{hh} = 2$, as before):
#
# | step | delta | 1 - h² | inside | input | state before |
# |---|---|---|---|---|---|
# | 1 | 2 | 0.64 | 1.28 | 1 | 0.5 |
# | 2 | 1 | 0.75 | 0.75 | 0 | 0.6 |
# | 3 | 1 | 0.36 | 0.36 | -1 | 0.5 |
#
# - $W_{xh}$: 1.28 · 1 + 0.75 · 0 + 0.36 · (-1) = 0.92
# - $W_{hh}$: 1.28 · 0.5 + 0.75 · 0.6 + 0.36 · 0.5 = 1.27
# - $b$: 1.28 + 0.75 + 0.36 = 2.39
# - $h_0$: 2 · 1.28 = 2.56
# - $x$: 3 · (1.28, 0.75, 0.36) = (3.84, 2.25, 1.08)
#
# The gradient of a tensor has the shape of that tensor.


# %% answer="bptt_gradients"
def bptt_gradients(x, states, h0, deltas, W_xh, W_hh):
    """Collect the gradients of everything that went into the states.

    Parameters
    ----------
    x : (B, T, d) tensor, the inputs.
    states : (B, T, H) tensor, h_1 to h_T, each number between -1 and 1.
    h0 : (B, H) tensor, the states before the first step.
    deltas : (B, T, H) tensor, the gradient of the loss at each state.
    W_xh, W_hh : (H, d) and (H, H) tensors.

    Returns
    -------
    (dW_xh, dW_hh, db, dh0, dx) : tensors of shapes (H, d), (H, H), (H,), (B, H) and (B, T, d).
    """
    ...


# %% check="bptt_gradients" points=4
check(bptt_gradients)

# %% [markdown]
# Try it: two witnesses. The loss here is the sum of all states, so every upstream gradient is 1.

# %%
x, h0, W_xh, W_hh, b = (torch.randn(size) for size in [(2, 5, 3), (2, 4), (4, 3), (4, 4), (4,)])
leaves = [value.requires_grad_() for value in (W_xh, W_hh, b, h0, x)]
states = rnn_forward(x, W_xh, W_hh, b, h0)
auto = torch.autograd.grad(states.sum(), leaves)
with torch.no_grad():
    deltas = bptt_deltas(torch.ones(2, 5, 4), states, W_hh)
    mine = bptt_gradients(x, states, h0, deltas, W_xh, W_hh)
for name, one, other in zip(["W_xh", "W_hh", "b", "h0", "x"], mine, auto, strict=True):
    print(f"{name:4} largest difference {(one - other).abs().max():.1e}")

# %% [markdown]
# ## 3. Only the real steps (3 points)
#
# A mask $m_t$ is 1 where a step counts and 0 where it does not. One mask covers three cases: a loss at every
# step (all ones), a loss at the end only (a single 1 in each row), rows of unequal length (zeros at the
# padding). With outputs $y$ and targets of K numbers a step,
#
# $$L = \frac{1}{N} \sum_{\text{rows}} \sum_t m_t\, \tfrac12 \lVert y_t - \text{target}_t \rVert^2, \qquad
# N = \sum_{\text{rows}} \sum_t m_t$$
#
# Write `masked_loss`. It returns the loss and its gradient with respect to $y$, which is where the way back
# begins.
#
# By hand, with B = 2, T = 2, K = 1, where the last step of the second row is padding:
#
# | row, step | y | target | m | half the square | gradient |
# |---|---|---|---|---|---|
# | 1, 1 | 1 | 0 | 1 | 0.5 | 1/3 |
# | 1, 2 | 2 | 0 | 1 | 2 | 2/3 |
# | 2, 1 | 3 | 1 | 1 | 2 | 2/3 |
# | 2, 2 | 9 | 2 | 0 | | 0 |
#
# $N = 3$ and $L = 4.5 / 3 = 1.5$.
#
# The mask may hold numbers or truth values, in any pattern. What stands at padding must not matter. When no
# step at all is real, the loss is 0, and so is its gradient.


# %% answer="masked_loss"
def masked_loss(y, targets, mask):
    """Compute the mean over the real steps of half the squared error, and its gradient.

    Parameters
    ----------
    y : (B, T, K) tensor, the outputs.
    targets : (B, T, K) tensor.
    mask : (B, T) tensor, 1 or True for a real step, 0 or False for one that does not count.

    Returns
    -------
    loss : a number (float, or tensor without axes).
    dy : (B, T, K) tensor, the gradient of the loss with respect to y.
    """
    ...


# %% check="masked_loss" points=3
check(masked_loss)

# %% [markdown]
# Try it: the same two rows with 0, 5 and 50 steps of padding. The loss must stay.

# %%
y, targets = torch.tensor([[[1.0], [2.0]], [[3.0], [9.0]]]), torch.tensor([[[0.0], [0.0]], [[1.0], [2.0]]])
mask = torch.tensor([[1.0, 1.0], [1.0, 0.0]])
for pads in (0, 5, 50):
    behind = torch.full((2, pads, 1), 7.0)
    longer = torch.cat([y, behind], dim=1), torch.cat([targets, 0 * behind], dim=1)
    print(pads, float(masked_loss(*longer, torch.cat([mask, torch.zeros(2, pads)], dim=1))[0]))

# %% [markdown]
# ## 4. Windows (3 points)
#
# Truncated BPTT cuts a sequence into windows of k steps, the last of which may be shorter. Forward nothing
# changes: every window starts from the last state of the one before, the first from $h_0$. Back, no gradient
# crosses a border between two windows. The gradients of the windows are **added**.
#
# Write `truncated_bptt` for the loss `(upstream * states).sum()`. Its upstream gradient at each state is, as
# the name says, `upstream`.
#
# By hand, with T = 3, k = 2, $W_{hh} = 0.5$: the inputs, $h_0$ and $b$ are 0, so every state is 0 and every
# slope is 1. All upstream gradients are 1. The first window has the deltas $\delta_2 = 1$ and
# $\delta_1 = 1 + 0.5 \cdot 1 = 1.5$, the second has $\delta_3 = 1$. So the gradient of $b$ is 1.5 + 1 + 1 =
# 3.5. (In full it would be 1.75 + 1.5 + 1 = 4.25. The windows {1} and {2, 3} would give 3.5, too: look where
# the border is.)
#
# Any $k \ge 1$ is legal; one of T or more gives the full gradient. You may use your functions of questions 1
# and 2, or autograd with the state detached at the right place.


# %% answer="truncated_bptt"
def truncated_bptt(x, upstream, h0, W_xh, W_hh, b, k):
    """Add up the gradients of all windows of k steps.

    The loss is sum(upstream * states).

    Parameters
    ----------
    x : (B, T, d) tensor, the inputs; T >= 1.
    upstream : (B, T, H) tensor, the gradient of the loss at each state.
    h0 : (B, H) tensor, the states before the first step.
    W_xh, W_hh, b : (H, d), (H, H) and (H,) tensors.
    k : int, steps in a window, k >= 1.

    Returns
    -------
    (dW_xh, dW_hh, db) : tensors of the shapes of W_xh, W_hh and b.
    """
    ...


# %% check="truncated_bptt" points=3
check(truncated_bptt)

# %% [markdown]
# Try it: how far does the gradient of $W_{hh}$ turn away from the full one when the sequence of 24 steps is
# cut? The loss counts at the last step only. Why is k = 23 as bad as k = 1?

# %%
generator = torch.Generator().manual_seed(0)
sizes = [(4, 24, 3), (4, 5), (5, 3), (5, 5), (5,)]
x, h0, W_xh, W_hh, b = (torch.randn(size, generator=generator) for size in sizes)
W_hh = torch.linalg.qr(W_hh).Q  # keeps the length of what it multiplies
upstream = torch.zeros(4, 24, 5)
upstream[:, -1] = 1.0
full = truncated_bptt(0.3 * x, upstream, h0, 0.3 * W_xh, W_hh, 0 * b, 24)[1].flatten()
for k in (24, 23, 12, 6, 3, 1):
    part = truncated_bptt(0.3 * x, upstream, h0, 0.3 * W_xh, W_hh, 0 * b, k)[1].flatten()
    print(f"k = {k:2}   cosine {torch.cosine_similarity(part, full, dim=0):.3f}")

# %% [markdown]
# ## 5. The witness (2 points)
#
# Write `numerical_gradient`: for each entry of $W_{hh}$ the central difference quotient of the loss L of
# question 4,
#
# $$\frac{L(W_{hh}[i, j] + \varepsilon) - L(W_{hh}[i, j] - \varepsilon)}{2\,\varepsilon} ,$$
#
# with all other entries held still and the whole sequence run again for each of the two.
#
# By hand, one step with one number in the state: $x = 0$, $b = 0$, $h_0 = 1$, upstream 1, $W_{hh} = 0.5$ and
# $\varepsilon = 0.5$. Then $L = \tanh(W_{hh})$ and the quotient is $(\tanh 1 - \tanh 0) / 1 = 0.7616$.
#
# The exact derivative is $1 - \tanh^2 0.5 = 0.7864$. In the checks $\varepsilon$ is between 0.15 and 0.5, far
# too large for a good gradient, so that each kind of quotient has a value of its own. Asked for is the
# quotient itself, with its error.


# %% answer="numerical_gradient"
def numerical_gradient(x, upstream, h0, W_xh, W_hh, b, eps):
    """Estimate the gradient of W_hh by central differences.

    The loss is sum(upstream * states).

    Parameters
    ----------
    x : (B, T, d) tensor, the inputs; T >= 1.
    upstream : (B, T, H) tensor, the weight of each state in the loss.
    h0 : (B, H) tensor, the states before the first step.
    W_xh, W_hh, b : (H, d), (H, H) and (H,) tensors.
    eps : float, how far an entry is moved to each side.

    Returns
    -------
    (H, H) tensor, one quotient for each entry of W_hh.
    """
    ...


# %% check="numerical_gradient" points=2
check(numerical_gradient)

# %% [markdown]
# Try it, with the numbers of the last cell of question 4, in double precision: the error against the step.
# Where is it smallest, and why does it grow again?

# %%
arguments = [value.double() for value in (0.3 * x, upstream, h0, 0.3 * W_xh, W_hh, 0 * b)]
exact = truncated_bptt(*arguments, 24)[1]
for eps in (1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11):
    error = numerical_gradient(*arguments, eps) - exact
    print(f"eps {eps:.0e}   relative error {error.norm() / exact.norm():.1e}")

# %% [markdown]
# ## 6. What a window keeps (1 point)
#
# A sequence has <<steps>> steps and a loss at each. In the double sum for the gradient of $W_{hh}$ every loss
# $L_t$ has one term for each step up to its own: 1 + 2 + ... + <<steps>> = <<whole>> terms. How many of the
# <<whole>> are kept when the sequence is cut into windows of <<window>> steps? Answer with a number.

# %% answer="paths_that_are_kept"
paths_that_are_kept = ...

# %% check="paths_that_are_kept" points=1
check_answer("paths_that_are_kept", paths_that_are_kept)

# %% [markdown]
# ## 7. A loss at the end (1 point)
#
# A sequence has 100 steps and a loss at the last step only. It is trained in windows of 10 steps, the state
# carried on and detached. From which windows does $W_{hh}$ get a gradient other than zero?
#
# - **a** from all ten, each its share
# - **b** from the last only
# - **c** from the last two, since the state of one window starts the next
# - **d** from none
#
# Answer with a letter in quotes. The visible check looks at the form only; whether it is right, and why, is
# said after grading.

# %% answer="where_the_gradient_is"
where_the_gradient_is = ...

# %% check="where_the_gradient_is" points=1
check_answer("where_the_gradient_is", where_the_gradient_is)

# %% [markdown]
# ## 8. Where to cut (2 points)
#
# A colleague reads program text, one character a step, in windows of 20 steps, and carries the state from
# window to window. Her first version stops in the second window: "Trying to backward through the graph a
# second time". So she writes `h = h.detach()` into the loop over the *steps*, before each call of the cell.
# The error is gone and the loss falls a little, but brackets are closed at random. Often a bracket was opened
# 12 steps before the step that should close it.
#
# She asks you: what does her second version compute, and where does `detach` belong? With that mended, for
# which share of those brackets does the loss at the closing step reach the step that opened them (every place
# in a window is equally likely), and what would raise the share? Answer in the cell below in five to ten
# sentences. A person reads and marks this answer.

# %% [markdown] written="detach_argument" points=2
# In the second version no gradient passes from any step to the one before: truncation with k = 1. Each step
# learns to use its input and the state it happens to get, but nothing teaches an earlier step to put into the
# state what a later one needs.
#
# `detach` belongs between two windows, once, on the carried state. The numbers go on, so the network still
# reads with its memory; only their history is cut. That also mends the first version, whose second `backward`
# ran into the graph of the window before, which the first one had freed.
#
# A gradient reaches the opening step only when both steps lie in one window. The closing step may be any of
# the 20, and the opening one lies 12 before it, so it has to be one of the last 8: 8 of 20, 40 per cent.
# Windows of 40 steps give 28 of 40, 70 per cent, for twice the memory. Other borders in every epoch do not
# raise the share, but then it is not always the same brackets that go without; more text of the same kind
# does not raise it either.
