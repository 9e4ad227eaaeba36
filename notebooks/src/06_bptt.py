# %% [markdown]
# # 06 BPTT
#
# **How does a loss at the end reach a weight at the start?**
#
# After this lesson you can
#
# - run the loop backward by hand and in ten lines, and check the result in three ways;
# - say which steps of a sequence a gradient comes from, and what a loss at one step or at all of them
#   changes;
# - cut a long sequence into windows, say what the gradient cannot see then, and what memory it saves.
#
# 110 minutes, best in two sittings with a break before *Cut the sequence* (run all cells above it again when
# you come back). You need lesson 05 (the loop and its shapes), the gradient of a pole from lesson 04, and the
# chain rule.

# %% id="imports"
import numpy as np
import torch
from torch.utils.checkpoint import checkpoint

from course_utils import plots, widgets_bptt
from course_utils.bptt import backward, double_sum, slope_along, total_gradients
from course_utils.cells import rnn_forward, rnn_step
from course_utils.checks import claim, concept_check
from course_utils.graph_memory import GraphMemory
from course_utils.pole_learning import pole_loss, slope_of_pole
from course_utils.truncation import cosine, echo_network, echo_task, windowed_gradients

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)  # the products are too small to share
rng = torch.Generator().manual_seed(6)

# %% [markdown]
# ## By hand
#
# Two units, three steps, no bias. Unit 1 reads the input and keeps half of itself: the numbers 0.762, 0.363,
# 0.180 of lesson 05. Unit 2 reads unit 1, a step later. The output $y_t$ is unit 2, and there is one *loss*
# (what we want small), at the end: $L_3 = \tfrac12 (y_3 - 1)^2$.

# %% id="forward-figure"
W_xh, W_hh, b = torch.tensor([[1.0], [0.0]]), torch.tensor([[0.5, 0.0], [1.0, 0.5]]), torch.zeros(2)
x = torch.tensor([[1.0], [0.0], [0.0]])
states = rnn_forward(x[None], W_xh, W_hh, b)[0]  # (T, H)
upstream = torch.zeros(3, 2)
upstream[2, 1] = states[2, 1] - 1  # dL_3/dy_3, which is unit 2
ax = plots.unrolled(x, states, (W_xh, W_hh), upstream)
plots.show(ax, "The loop, unrolled: a column a step, the same weights on the same arrows at every step.")

# %% [markdown]
# Write $\delta_t$ (delta) for the gradient of the loss with respect to the state $h_t$, one number a unit:
# how fast the loss rises when the unit's state is moved **and everything after it follows**.
#
# **Predict.** Use paper. $\delta_3$ is $(0, -0.406)$. A nudge of $h_2$ (a small change) goes along the arrows
# to step 3, multiplied by the arrow's weight, then by the slope of the tanh there, $1 - h_3^2$. What is
# $\delta_2$? What is $\delta_1$? Through which arrows can unit 1 of step 1 be felt?

# %% id="three-deltas"
delta_3 = upstream[2]
delta_2 = W_hh.T @ (delta_3 * (1 - states[2] ** 2))
delta_1 = W_hh.T @ (delta_2 * (1 - states[1] ** 2))
for t, delta in [(3, delta_3), (2, delta_2), (1, delta_1)]:
    print(f"delta_{t} = ({delta[0]:.3f}, {delta[1]:.3f})")

# %% id="backward-figure"
ax = plots.unrolled(x, states, (W_xh, W_hh), upstream, torch.stack([delta_1, delta_2, delta_3]))
plots.show(ax, "Arrows walked backward: times the weight and the slope at the right end; delta is below.")

# %% [markdown]
# <details><summary>One number in full</summary>
#
# Unit 2 of step 3 has the slope $1 - 0.594^2 = 0.647$, so before its tanh the gradient is
# $-0.406 \cdot 0.647 = -0.262$. Unit 1 of step 2 was read with the weight 1 and gets $-0.262$; unit 2 was
# read with 0.5 and gets $-0.131$. Unit 1 of step 3 is read by nobody: 0. Unit 1 of step 1 is felt through
# both units of step 2.
#
# </details>
#
# Is it true? Move one number of $h_1$, run the other two steps, look at the loss.


# %% id="nudge"
def loss_from(h_1):
    return (rnn_forward(x[None, 1:], W_xh, W_hh, b, h_1[None])[0, -1, 1] - 1) ** 2 / 2


for unit in [0, 1]:
    nudge = 1e-6 * torch.eye(2)[unit]
    rise = (loss_from(states[0] + nudge) - loss_from(states[0])) / 1e-6
    print(f"unit {unit + 1}: loss rises by {rise:.3f} times the nudge, delta {delta_1[unit]:.3f}")

# %% [markdown]
# ## Two arrows into each node
#
# With an output $y_t = W_{hy} h_t$ and a loss $L_t$ at every step, a state is felt in two places: in its own
# loss and in the next state. So its gradient has two parts:
#
# $$\delta_t = \underbrace{W_{hy}^\top \frac{\partial L_t}{\partial y_t}}_{\text{own loss}} +
# \underbrace{W_{hh}^\top \bigl(\delta_{t+1} \odot (1 - h_{t+1}^2)\bigr)}_{\text{next step}},
# \qquad \delta_{T+1} = 0$$
#
# ($\odot$ multiplies number by number.) The first part is called `upstream` in code. The second is the
# forward step **transposed**: forward, row $i$ of $W_{hh}$ collects what unit $i$ reads; backward, column
# $j$ collects from all that have read unit $j$. And the slope is that of the **later** state, for that is
# the tanh which the arrow runs through. This is *backpropagation through time*, **BPTT**.
#
# Play it: three moves forward, three backward. (Needs a kernel; the two figures above are two of its frames.)
#
# **Predict, then move.** With a loss at every step: which numbers of $\delta_3$, $\delta_2$, $\delta_1$
# change? With a loss only at step 1: what is $\delta_2$? And with the input at $-3$ and the loss at the end:
# do the $\delta$ grow or shrink?

# %% id="unroll-player"
widgets_bptt.unroll_player(move=4)

# %% [markdown]
# <details><summary>Answers</summary>
#
# $\delta_3$ does not change, nothing comes after it. $\delta_2$ and $\delta_1$ get their own losses on top,
# and what the states after them received. A loss at step 1 leaves $\delta_2 = \delta_3 = 0$: **nothing flows
# forward in time**. At $-3$ they grow, for the error does: $\delta_3$ is $-1.686$ in place of $-0.406$. But a
# smaller share of the error comes back, 0.32 in place of 0.47 at unit 1 of step 1: unit 2 of step 2 stands at
# $-0.760$, where the slope is 0.42.
#
# </details>

# %% [markdown]
# **Check yourself.** Every number of $h_{t+1}$ is 0.99, and only the last step has a loss. By how much is
# what comes back from step $t + 1$ multiplied on its way, $W_{hh}$ apart?
#
# - **a** 0.99
# - **b** 0.02
# - **c** it depends on $h_t$

# %% id="concept-slope"
concept_check("06.slope", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**, $1 - 0.99^2$. A saturated unit passes its state on and keeps the gradient back.
#
# </details>
#
# ## The loop, backward
#
# $W_{hh}$ acts at every step, so its gradient is a sum of what each step adds: the gradient before the tanh,
# times the state that was read, $(\delta_t \odot (1 - h_t^2))\, h_{t-1}^\top$.

# %% shows="course_utils.bptt.backward" id="the-loop"

# %% [markdown]
# Everything that the loop stored is used, each state once for its slope and once as what the next step read.
#
# Now with outputs and a loss at every step, $L_t$ half the squared error, so that
# $\partial L_t / \partial y_t = y_t - \text{target}$. We compare with *autograd*, PyTorch's own gradients,
# on networks of unequal sizes.


# %% id="network"
def draw(*shape):
    return torch.randn(*shape, generator=rng)


def network(T, d, H, K):
    """Weights (W_xh, W_hh, b), the readout W_hy, inputs and targets."""
    return [draw(H, d) / 2, draw(H, H) / H**0.5, draw(H) / 4], draw(K, H) / 2, draw(T, d), draw(T, K)


# %% id="delta-claim"
agree = []
for sizes in [(1, 2, 3, 4), (2, 3, 5, 1), (30, 4, 16, 3)]:
    weights, W_hy, x, targets = network(*sizes)
    states, by_autograd = total_gradients(x, targets, *weights, W_hy)
    upstream = (states @ W_hy.T - targets) @ W_hy  # W_hy^T dL_t/dy_t, a row a step
    deltas, parts = backward(upstream, states, weights[1])
    agree.append(torch.allclose(deltas, by_autograd, rtol=1e-10, atol=1e-12))
claim("bptt.delta_recursion", agree)

# %% [markdown]
# ## Three witnesses
#
# A gradient by hand can be wrong in many ways that look right. A witness that knows no calculus is the
# *central difference*: move the weights by a step $\varepsilon$ (epsilon) both ways along some direction $D$,
#
# $$\frac{L(W_{hh} + \varepsilon D) - L(W_{hh} - \varepsilon D)}{2\varepsilon} \approx
# \text{sum over all entries of } \frac{dL}{dW_{hh}} \odot D$$
#
# A random direction tests all entries at once. We take the last network (30 steps, 16 units).
#
# **Predict.** $\varepsilon$ goes from 1 down to $10^{-13}$. Does the error fall all the way? Sketch it on two
# log axes, for float64 and for float32.

# %% shows="course_utils.bptt.slope_along" id="difference"


# %% id="loss-of-weights"
def loss(W_hh):
    W_xh, b, W_out, inputs, wanted = (v.to(W_hh.dtype) for v in (weights[0], weights[2], W_hy, x, targets))
    return (rnn_forward(inputs[None], W_xh, W_hh, b)[0] @ W_out.T - wanted).square().sum() / 2


# %% id="witnesses-figure" tags=["nbval-ignore-output"]
by_hand, D = parts.sum(dim=0), draw(16, 16)
exact = (by_hand * D).sum()
steps, errors = 10.0 ** np.arange(-13, 0.1, 0.25), {}
for name, kind in [("float64", torch.float64), ("float32", torch.float32)]:
    quotients = [slope_along(loss, weights[1].to(kind), D.to(kind), eps) for eps in steps]
    errors[name] = [abs(quotient / exact - 1).item() for quotient in quotients]
ax = plots.difference_errors(steps, errors)
plots.show(ax, "How far the quotient is from the gradient, against its step, in both kinds of numbers.")

# %% [markdown]
# <details><summary>Why a V</summary>
#
# On the right, the difference leaves out the rest of the Taylor series, $\varepsilon^2$ times a third
# derivative (the *bending* of $L$): a line of slope 2. On the left, the two losses agree in nearly all their
# digits; what is left after the subtraction is their last digits, divided by $2\varepsilon$ (*rounding*): a
# line of slope $-1$. In float64 the two meet near $\varepsilon = 10^{-6}$, where nine digits are right. In
# float32 they meet near $10^{-3}$, at four: good enough to find a forgotten slope, not a subtle mistake.
# Below about $10^{-8}$ float32 hardly sees the step: both losses are the same number, the quotient is 0, the
# error 1. **Check gradients in float64.**
#
# </details>

# %% id="three-ways-claim"
W = weights[1].clone().requires_grad_()
by_autograd = torch.autograd.grad(loss(W), W)[0]
agree = [torch.allclose(by_hand, by_autograd, rtol=1e-10, atol=1e-12)]
for _ in range(20):
    D = draw(16, 16)
    quotient = slope_along(loss, weights[1], D, eps=1e-5)
    agree.append(torch.allclose(quotient, (by_hand * D).sum(), rtol=1e-6, atol=1e-6))
claim("bptt.three_ways", agree)

# %% [markdown]
# ## Where does the gradient come from?
#
# The same gradient written out. The loss $L_t$ feels $W_{hh}$ at every step $s \le t$, each time through the
# chain of steps between them:
#
# $$\frac{dL}{dW_{hh}} = \sum_{t=1}^{T} \sum_{s=1}^{t} \Bigl(\frac{\partial L_t}{\partial h_t}
# \frac{dh_t}{dh_s} \odot (1 - h_s^2)\Bigr)^{\!\top} h_{s-1}^\top, \qquad
# \frac{dh_t}{dh_s} = J_t J_{t-1} \cdots J_{s+1}$$
#
# $J_t = \operatorname{diag}(1 - h_t^2)\, W_{hh}$ is the **Jacobian** of step $t$: it takes a small change of
# $h_{t-1}$ to that of $h_t$. The gradient of a loss is a row here, where $\delta_t$ was a column.
# ($\partial L_t / \partial h_t$ is the effect within this step, $dh_t/dh_s$ that of all steps between; more
# below. For $s = t$ there is none, and the product is the identity.) Written out literally, and slow:

# %% shows="course_utils.bptt.double_sum" id="literal"

# %% id="factors"
radius = torch.linalg.eigvals(weights[1]).abs().max()
print(f"mean slope {(1 - states**2).mean():.2f}, spectral radius of W_hh {radius:.2f}")

# %% [markdown]
# **Predict.** Take the loss at step 30 alone. Which of the 30 steps has the largest part in its gradient?
# Every step back multiplies by slopes and by $W_{hh}$: how much smaller is the part of step 2, ten times, a
# thousand times, a million times?

# %% id="terms"
terms = double_sum(upstream, states, weights[1])  # (T, T, H, H)
sizes = terms.norm(dim=(2, 3)).numpy()

# %% id="rows-figure"
left, right = plots.panels(2)
plots.triangle(sizes, ax=left)
rows = [sizes[t - 1] for t in (10, 20, 30)]
plots.by_step(rows, ["loss at 10", "loss at 20", "loss at 30"], step="step s where $W_{hh}$ acts", ax=right)
plots.show(left, "The size of every term, a row a loss (left); three of these rows as curves (right).")

# %% id="rows-numbers"
at_30 = sizes[29]
print(
    f"loss at 30: largest at step {at_30.argmax() + 1}, {at_30.max():.2g}; step 2: {at_30[1]:.2g}", end="; "
)
print(f"the last five steps have {at_30[-5:].sum() / at_30.sum():.0%} of the total size")

# %% [markdown]
# A loss speaks to the steps just before it, hardly to the first ones. Step 1 is missing: it read $h_0 = 0$,
# so $W_{hh}$ did nothing there. Along the last row the sizes fall nearly a million-fold. They are products of
# Jacobians, so this is again one factor a step, about 0.6, near the mean slope times the radius. (Step 29
# leads, not 30: $W_{hh}$ stretches some directions, up to $\sigma_1$ of lesson 03.)
#
# A column, summed over $t$, is what `backward` adds at step $s$. The recursion is the double sum with the
# common factors taken out; it costs one product a step.

# %% id="double-sum-claim"
agree = [torch.allclose(terms.sum(dim=0), parts, rtol=1e-10, atol=1e-12)]
agree.append(torch.allclose(terms.sum(dim=(0, 1)), by_autograd, rtol=1e-10, atol=1e-12))
for t in [0, 9, 29]:
    L_t = (rnn_forward(x[None], weights[0], W, weights[2])[0, t] @ W_hy.T - targets[t]).square().sum() / 2
    agree.append(torch.allclose(terms[t].sum(dim=0), torch.autograd.grad(L_t, W)[0], rtol=1e-10, atol=1e-12))
claim("bptt.shared_weight_sum", agree)

# %% id="products"
products = sum(t - s for t in range(30) for s in range(t))
print(f"products of matrices: {products:,} written out; of a matrix and a vector in the loop: 30")

# %% [markdown]
# **Check yourself.** 100 steps, a loss at the last one only, $h_0 \ne 0$. How many steps add to the gradient
# of $W_{hh}$?
#
# - **a** one, the last
# - **b** 100
# - **c** 5,050

# %% id="concept-sum"
concept_check("06.sum", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**: one row of the triangle.
#
# </details>
#
# ## Immediate and total
#
# Two derivatives look alike on paper. The **immediate** one, written with $\partial$ here, moves the weight
# in this step only and holds all that came before. The **total** one, written with a straight d, moves it
# everywhere:
#
# $$\frac{dh_t}{dw} = \frac{\partial h_t}{\partial w} + \frac{\partial h_t}{\partial h_{t-1}}
# \frac{dh_{t-1}}{dw}$$
#
# **Predict.** One linear unit, $h_t = w\,h_{t-1} + x_t$ with $w = 0.9$, and a single 1 at step 1. By which
# factor do the two differ at step 11?


# %% id="linear-unit"
def last_state(w, cut):
    h = torch.zeros(())
    for t in range(1, 12):
        h = w * (h.detach() if cut else h) + (t == 1)
    return h


# %% id="immediate-total"
w = torch.tensor(0.9, requires_grad=True)
immediate, total = (torch.autograd.grad(last_state(w, cut), w)[0] for cut in (True, False))
print(f"immediate {immediate:.4f}, total {total:.4f}, factor {total / immediate:.1f}")

# %% [markdown]
# <details><summary>Why ten</summary>
#
# $h_{11} = w^{10}$, so the total derivative is $10\, w^9$. The immediate one sees the last multiplication
# only and is $h_{10} = w^9$. Ten multiplications, each with the same part.
#
# </details>
#
# $\delta_t = dL/dh_t$ is total, the upstream gradient $\partial L_t/\partial h_t$ immediate. Which one
# PyTorch gives depends on **which tensor you ask**: `torch.stack` copies the states at the end, and no step
# follows after the copy.

# %% id="kept"
h, kept = torch.zeros(16, requires_grad=True), []
for x_t in x:
    h = rnn_step(x_t, h, *weights)
    kept.append(h)

# %% id="which-tensor"
row = torch.stack(kept)
L = (row @ W_hy.T - targets).square().sum() / 2
asked_row, asked_state = torch.autograd.grad(L, [row, kept[9]])
print("the row gives upstream:", torch.allclose(asked_row[9], upstream[9]), end="; ")
print("the state gives delta:", torch.allclose(asked_state, deltas[9]))

# %% [markdown]
# ## One mask
#
# A loss at every step, a loss only at the end, a batch with padding need one program, not three. Let $m_t$ be
# 1 where a loss counts and 0 elsewhere, $L = \sum_t m_t L_t$. In the recursion only the upstream part is
# multiplied by $m_t$. (For a mean divide by the number of ones, not by $BT$.)
#
# **Predict.** Three rows of 9, 4 and 6 steps, padded to 9 with the number 100. Does that 100 show in the
# gradient?

# %% id="padded-batch"
lengths = torch.tensor([9, 4, 6])
weights3, W_hy3, x3, targets3 = network(27, 4, 5, 2)
x3, targets3 = x3.reshape(3, 9, 4), targets3.reshape(3, 9, 2)
t = torch.arange(1, 10)
real = t <= lengths[:, None]  # (B, T)
masks = {"every step": real, "the last": t == lengths[:, None], "every second": real & (t % 2 == 0)}
x3[~real] = 100


# %% id="rows-alone"
def row_alone(row, mask):
    """The gradient of W_hh that one row gives, by hand, without its padding."""
    n = lengths[row]
    states = rnn_forward(x3[None, row, :n], *weights3)[0]
    upstream = mask[row, :n, None] * (states @ W_hy3.T - targets3[row, :n]) @ W_hy3
    return backward(upstream, states, weights3[1])[1].sum(dim=0)


# %% id="mask-claim"
agree = []
for name, mask in masks.items():
    W = weights3[1].clone().requires_grad_()
    errors = rnn_forward(x3, weights3[0], W, weights3[2]) @ W_hy3.T - targets3
    (mask * errors.square().sum(dim=2) / 2).sum().backward()
    by_rows = sum(row_alone(row, mask) for row in range(3))
    print(f"{name}: {mask.sum()} losses, size of the gradient {W.grad.norm():.3f} and {by_rows.norm():.3f}")
    agree.append(torch.allclose(W.grad, by_rows, rtol=1e-10, atol=1e-12))
claim("bptt.one_loss_or_many", agree)

# %% [markdown]
# It does not. The states at the pads are nonsense, but no loss looks at them and nothing flows forward in
# time, so their $\delta$ is 0.
#
# ## One weight, linear: lesson 04 again
#
# Take away the tanh (all slopes 1) and keep one number: $y_t = \alpha\, y_{t-1} + \beta\, x_t$, with the
# loss $L = \tfrac{1}{2T} \sum_t (d_t - y_t)^2$ (lesson 04 called it $J$). Lesson 04 carried the derivative
# of $\alpha$ **forward** beside the filter; we now run **backward**.
#
# **Predict.** Is the sum the same? Is what each step adds the same?


# %% id="pole-backward"
def pole_backward(inputs, d, alpha, beta):
    """What each step adds to dL/dalpha, and dL/dbeta."""
    y, _, _ = slope_of_pole(inputs, alpha, beta)
    row, upstream = torch.tensor(y)[:, None], torch.tensor(y - d)[:, None] / len(d)
    deltas, parts = backward(upstream, row, torch.tensor([[alpha]]), slopes=torch.ones_like(row))
    return parts.squeeze().numpy(), (deltas[:, 0] @ torch.tensor(inputs)).item()


# %% id="pole-claim"
agree, (inputs, d) = [], np.random.default_rng(6).normal(size=(2, 200))
for alpha, beta in [(0.9, 0.5), (-0.7, 1.0), (0.99, 0.1)]:
    y, by_alpha, _ = slope_of_pole(inputs, alpha, beta)
    forward = (y - d) * by_alpha / 200
    back, dbeta = pole_backward(inputs, d, alpha, beta)
    print(f"step 50 adds {forward[49]:.4f} and {back[49]:.4f}; sums {forward.sum():.4f} and {back.sum():.4f}")
    agree.append(np.allclose([back.sum(), dbeta], pole_loss(inputs, d, alpha, beta)[1], rtol=1e-9))
claim("bptt.adaptive_pole_again", agree)

# %% [markdown]
# <details><summary>What to see, and lesson 04's open question</summary>
#
# One sum, two orders. Forward, step $t$ adds what *its loss* says about all earlier uses of $\alpha$ (a row
# of the triangle). Backward, step $s$ adds what *all later losses* say about its one use (a column).
#
# With $H^2$ weights, forward needs a derivative state of $H$ numbers for each of them, $H^3$ in all.
# Backward, **one loop serves all weights**: a $\delta$ of $H$ numbers. The price is memory, all $T$ states.
#
# </details>

# %% [markdown]
# ## Cut the sequence
#
# A text of a million words is too long to wait for its end. *Truncated* BPTT reads windows of $k$ steps: the
# numbers of the state are carried on, and their history (the record of steps that PyTorch calls the *graph*)
# is cut with `detach`.

# %% shows="course_utils.truncation.windowed_gradients" id="windows"

# %% [markdown]
# **Predict.** 30 steps, a loss at step 30. How large is its gradient at each input, whole and in windows of
# 10?

# %% id="whole-and-cut"
inputs = x.clone().requires_grad_()
whole = rnn_forward(inputs[None], *weights)[0, -1] @ W_hy.T
h = None
for start in range(0, 30, 10):
    window = rnn_forward(inputs[None, start : start + 10], *weights, h)
    h = window[:, -1].detach()
cut = window[0, -1] @ W_hy.T
print("the same output:", torch.allclose(whole, cut))

# %% id="boundary-figure"
boundary = [torch.autograd.grad(end.sum(), inputs)[0].norm(dim=1).numpy() for end in (whole, cut)]
ax = plots.by_step(boundary, ["whole", "windows of 10"], "gradient of output 30", "step t of the input")
plots.show(ax, "How strongly output 30 feels each input: compare the last ten steps with those before.")

# %% [markdown]
# The output is the same number. Its gradient agrees inside the window and is exactly 0 beyond.
#
# Does it matter? Here the gradient was small beyond the window anyway. So take a network that forgets little
# ($W_{hh}$ only turns the state, inputs are small, slopes near 1) and a task that asks for distance, the
# **echo**: the target is the input of 5, 20 or 50 steps ago. We compare directions: the *cosine* of the angle
# between the truncated gradient and the full one, over 256 rows of 120 steps. 1 is the same direction, 0 a
# right angle.
#
# **Predict.** For an echo 20 steps late, sketch the cosine for $W_{xh}$ against the window $k$ from 1 to
# 120. And for $W_{hh}$?

# %% id="alignment"
windows = [1, 2, 3, 5, 6, 8, 12, 16, 20, 21, 25, 32, 40, 50, 51, 60, 80, 120]
cosines = {}
for lag in [5, 20, 50]:
    rnn, readout = echo_network(16, torch.Generator().manual_seed(6))
    task = echo_task(256, 120, lag, torch.Generator().manual_seed(lag))
    gradients = [windowed_gradients(rnn, readout, *task, k) for k in windows]
    pairs = {name: [cosine(g[name], gradients[-1][name]) for g in gradients] for name in ("W_xh", "W_hh")}
    cosines[lag] = pairs

# %% id="alignment-figure"
left, right = plots.panels(2)
for ax, name in [(left, "W_xh"), (right, "W_hh")]:
    labels = [f"echo {lag} late" for lag in cosines]
    rows = [row[name] for row in cosines.values()]
    plots.alignment(windows, rows, labels, [5, 20, 50], title=f"${name[0]}_{{{name[2:]}}}$", ax=ax)
print("W_xh, echo 20 late:", {k: round(cosines[20]["W_xh"][windows.index(k)], 2) for k in (20, 21, 25)})
plots.show(left, "A curve is an echo, a dotted line a window as long as an echo: where does a curve rise?")

# %% [markdown]
# <details><summary>What to see</summary>
#
# $W_{xh}$ *writes* the input into the state. Up to $k = 20$ no echo at 20 lies in one window with its input,
# and what is left of the gradient points anywhere. At 21 one echo in 21 does, and the cosine jumps to 0.66.
#
# $W_{hh}$ *keeps* it. The value of the state crosses every edge, so with any window some step learns to use
# what the state happens to hold. But nothing tells the network to put it there.
#
# </details>
#
# Is it noise? A noisy gradient gets better with more rows. **Predict** the cosine for the echo at 50, whole
# and in windows of 25, from 4 rows to 1,024.

# %% id="blind"
task = echo_task(1024, 120, 50, torch.Generator().manual_seed(0))
truth = windowed_gradients(rnn, readout, *task, 120)["W_xh"]
blind = {}
for rows in [4, 32, 256, 1024]:
    task = echo_task(rows, 120, 50, torch.Generator().manual_seed(1))
    found = [cosine(windowed_gradients(rnn, readout, *task, k)["W_xh"], truth) for k in (120, 25)]
    blind[rows] = found  # whole, and in windows of 25
    print(f"{rows} rows: cosine {found[0]:.2f} whole, {found[1]:.2f} in windows of 25")

# %% [markdown]
# Not noisy, but **blind**. Whole sequences need few rows; in windows of 25 more rows only show that the angle
# is a right angle.
#
# ## Move the window
#
# (Needs a kernel; the last figure shows the same cosines.)
#
# **Predict, then move.** For the echo at 20: which share of the echoes lies in a window of 40? From which
# window on is $W_{xh}$ right, and what does that window cost in states ($k + 1$ are held, as we count below)?

# %% id="truncation-dial"
widgets_bptt.truncation_dial(windows, cosines, T=120)

# %% [markdown]
# <details><summary>Answers</summary>
#
# 60 of 100: an input in the last 20 steps of a window is cut off from its echo. From about 25 on the
# direction is right, with 26 states in place of 121, although only 20 of 100 echoes count.
#
# </details>

# %% [markdown]
# **Check yourself.** A model reads a text in windows of 35 words and carries its state. A bracket opens 60
# words before it closes. What can it learn about it?
#
# - **a** nothing, for the state begins anew in every window
# - **b** to use a trace of the bracket that is in the state by chance, but not to write one
# - **c** everything, for the state is carried

# %% id="concept-window"
concept_check("06.window", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. Values cross the edge, gradients do not.
#
# </details>
#
# ## A new document
#
# A stream is many documents in a row. Where one begins, the state of the last one must go: again a mask,
# which multiplies the state by 0. **Predict.** What does that do to the gradient?

# %% id="reset"
documents = [draw(n, 4) for n in (7, 3, 12)]
stream = torch.cat(documents).requires_grad_()
first = torch.zeros(22)
first[[0, 7, 10]] = 1
h = torch.zeros(16)
for x_t, new in zip(stream, first, strict=True):
    h = rnn_step(x_t, h * (1 - new), *weights)

# %% id="reset-numbers"
alone = rnn_forward(documents[2][None], *weights)[0, -1]
carried = rnn_forward(stream[None], *weights)[0, -1]
reach = torch.autograd.grad(h.sum(), stream)[0].norm(dim=1)
print(f"distance to the third document alone: {(h - alone).norm():.4f} with reset,", end=" ")
print(f"{(carried - alone).norm():.4f} without")
print("steps that the gradient reaches:", reach.count_nonzero().item(), "of 22")

# %% [markdown]
# The factor 0 stops both: the value on its way forward and the gradient on its way back.
#
# ## Errors that people meet
#
# **Predict** what goes wrong before you run a cell. First, windows without `detach`:

# %% id="read-windows"
trained = [W.clone().requires_grad_() for W in weights]


def read_windows(cut, **options):
    h = None
    for start in range(0, 30, 10):
        window = rnn_forward(x[None, start : start + 10], *trained, h)
        window.square().sum().backward(**options)
        h = window[:, -1].detach().clone() if cut else window[:, -1]  # a slice keeps its whole window


# %% id="error-twice"
try:
    read_windows(cut=False)
except RuntimeError as error:
    print(str(error).split(".")[0])
read_windows(cut=True)

# %% [markdown]
# The second window leads back into the first, whose stored states were freed by its `backward`. Detaching
# mends it. The rest of PyTorch's message advises `retain_graph=True`, which works too, at a price.
# **Predict** how much more memory that takes here; `GraphMemory` counts the bytes that autograd holds for its
# way back, without inputs and weights.

# %% id="retain-graph"
for options in [{"cut": True}, {"cut": False, "retain_graph": True}]:
    with GraphMemory([x, *trained]) as memory:
        read_windows(**options)
    print(options, "held at most:", memory.peak, "bytes")

# %% [markdown]
# With `retain_graph=True` every window runs back to the very start and nothing is ever freed: the memory
# grows with each window, here to nearly three times as much.
#
# Second, the detach in the wrong place. **Predict** which of these raises.

# %% id="detached-steps"
W = trained[1]
h = torch.zeros(1, 16)
for x_t in x[:10]:
    h = rnn_step(x_t[None], h.detach(), *trained)  # in every step
h_right = rnn_forward(x[None, :10], *trained)[:, -1]
places = {"in every step": h, "after the loop": h_right.detach()}

# %% id="error-detach"
right = torch.autograd.grad(h_right.sum(), W)[0]
for place, end in places.items():
    try:
        found = torch.autograd.grad(end.sum(), W)[0]
        print(f"detached {place}: cosine {cosine(found, right):.2f} with the right gradient")
    except RuntimeError as error:
        print(f"detached {place}: {error}")

# %% [markdown]
# The first is the worse one. The values are right and the loss falls, but the network has windows of one
# step, and so is blind to anything that must be written for later. (The cosine is so high only because this
# network forgets.) The second raises only because nothing else is trained here; with a `W_hy` that learns it
# is silent too, and `W_hh.grad` stays `None`. Detach **between** windows, nowhere else, and look once at
# which gradients are `None`.
#
# Third, a state kept for a batch that is smaller than the last. (Ten rows in batches of four: 4, 4, 2.)

# %% id="error-batch"
h = None
for start in range(0, 10, 4):
    batch = torch.ones(10, 6, 1)[start : start + 4]
    try:
        _, h = rnn(batch, h)
    except RuntimeError as error:
        print(error)
        _, h = rnn(batch, h[:, : len(batch)].detach())

# %% [markdown]
# `h[:, :2]` is right only when these rows continue the first two streams. New rows start at zero; to have
# every batch full, drop the last one (`drop_last=True`).
#
# ## What it costs to remember
#
# Backward needs the states. We count the memory again, now in states.
#
# **Predict.** 64 steps in windows of $k$: how many states are held at most? And is there a way to hold fewer
# without cutting the gradient?

# %% id="memory-of-windows"
B, T, H = 4, 64, 16
long, state_bytes = draw(B, T, 4), 8 * B * H


def read_long(k):
    h = torch.zeros(B, H)
    for start in range(0, T, k):
        window = rnn_forward(long[:, start : start + k], *trained, h)
        window.sum().backward()
        h = window[:, -1].detach().clone()


# %% id="memory"
sizes, by_window = [1, 2, 4, 8, 16, 32, 64], []
for k in sizes:
    with GraphMemory([long, *trained]) as memory:
        read_long(k)
    by_window.append(memory.peak / state_bytes)
print("states held at most:", dict(zip(sizes, by_window, strict=True)))

# %% [markdown]
# $k$ states and the one carried in. The way that cuts nothing is **checkpointing**: keep only the state at
# the start of each segment of $n$ steps; on the way back run that segment forward once more.
# `torch.utils.checkpoint` does it. (`use_reentrant=True` lets our counter see the second run; in your own
# programs PyTorch recommends `False`.)
#
# **Predict.** It holds $T/n$ states at the starts, and $n$ more while a segment is run again. Which $n$ is
# best for $T = 64$? How many steps are computed in all?

# %% id="segment"
steps_run = []


def segment(x, W_xh, W_hh, b, h):
    steps_run.append(x.shape[1])
    return rnn_forward(x, W_xh, W_hh, b, h)[:, -1].clone()


def checkpointed(n):
    """The last state, with only the states between segments kept."""
    h = torch.zeros(B, H)
    for start in range(0, T, n):
        h = checkpoint(segment, long[:, start : start + n], *trained, h, use_reentrant=True)
    return h


# %% id="checkpoints"
W, by_segment, same = trained[1], [], []
plain = torch.autograd.grad(segment(long, *trained, torch.zeros(B, H)).square().sum(), W)[0]
for n in sizes:
    steps_run.clear()
    W.grad = None
    with GraphMemory([long, *trained]) as memory:
        checkpointed(n).square().sum().backward()
    by_segment.append(memory.peak / state_bytes)
    same.append(torch.allclose(W.grad, plain))

# %% id="memory-figure"
left, right = plots.panels(2)
plots.held(sizes, by_window, [k + 1 for k in sizes], "k + 1", "steps k in a window", ax=left)
plots.held(sizes, by_segment, [T / n + n for n in sizes], "T/n + n", "steps n in a segment", ax=right)
plots.show(left, "States held at most, measured and by formula: windows (left), checkpoints (right).")
print("the same gradient:", all(same), f"; steps computed {sum(steps_run)} in place of {T}")

# %% [markdown]
# Segments of $\sqrt{T}$ steps need about $2\sqrt{T}$ states: 16 here, at $n = 8$. The price is one more
# forward pass, whatever $n$. Windows are cheaper and blind; checkpoints see everything.
#
# The lecture's claim about windows: no gradient crosses, memory is $k$ states, and the bias as measured
# above.

# %% id="truncation-claim"
whole, cut = boundary
nothing_crosses = [not cut[:20].any(), whole[:20].all(), np.allclose(cut[20:], whole[20:], rtol=1e-9)]
k_states = by_window == [k + 1 for k in sizes]
bias = []
for lag, pairs in cosines.items():
    rows = list(zip(windows, pairs["W_xh"], pairs["W_hh"], strict=True))
    bias.append(max(abs(writes) for k, writes, _ in rows if k <= lag) < 0.7)
    bias.append(min(writes for k, writes, _ in rows if k >= 2 * lag) > 0.9)
    bias.append(rows[0][2] < 0.6 and np.allclose(rows[-1][1:], 1))
bias.append(blind[4][0] > 0.8 and abs(blind[1024][1]) < 0.3)  # more rows mend noise, not blindness
claim("bptt.truncation_boundary", [*nothing_crosses, k_states, *bias])

# %% [markdown]
# ## Summary
#
# - $\delta_t$ is the upstream gradient of the own loss plus
#   $W_{hh}^\top(\delta_{t+1} \odot (1 - h_{t+1}^2))$; the gradient of $W_{hh}$ adds up
#   $(\delta_t \odot (1 - h_t^2))\, h_{t-1}^\top$. Autograd and central differences agree; the error of the
#   latter is a V in its step.
# - A gradient is a triangle of terms, a row a loss, a column a step. Most of its size lies by the diagonal.
#   A mask on the losses covers every step, the end, and padding: nothing flows forward in time.
# - Windows of $k$ steps hold $k + 1$ states. Values cross their edges, gradients do not: weights that must
#   write something for later than $k$ steps are never told, with however many rows. Checkpoints hold about
#   $2\sqrt{T}$ states for one more forward pass, and lose nothing.
#
# **Two open questions.** Along a row of the triangle the sizes fell by orders of magnitude. How uneven is
# that, and can it be told from the weights? And if the gradient from far away is there but tiny, does a
# longer window help at all?
#
# **Sources.** The lecture "Recurrent Neural Networks" (EE 641, Unit 4A); the blog post "RNN"; P. Werbos
# (1990) for backpropagation through time; R. Williams and J. Peng (1990) for its truncated form; T. Chen and
# others (2016) for checkpoints.
#
# The exercise is ex06. Next, lesson [07, the horizon](07_horizon.ipynb): a row of the triangle was very
# uneven. How uneven?
