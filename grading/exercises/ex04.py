# %% [markdown]
# # Exercise 04: Adaptive filters
#
# Twenty points, about 75 minutes, after lesson 04. The lesson let one row learn its taps and looked at the
# gradient of one pole. Here a batch learns, each row its own taps; you find the largest step from the data;
# the gradient also says how a filter should *start*; and a pole learns from every single sample without
# ever leaving its limits.
#
# | question | points |
# |---|---|
# | 1 `lms` | 5 |
# | 2 `largest_stable_step` | 3 |
# | 3 `pole_gradient` | 4 |
# | 4 `adapt_pole` | 4 |
# | 5 and 6, two questions to think about | 1 + 1 |
# | 7, a written answer | 2 |

# %% [markdown]
# ## How to work
#
# - Write each answer in the cell that is prepared for it, in place of `raise NotImplementedError()`. You
#   may add cells.
# - The cell below an answer runs the **visible checks**: a few open cases, with what was expected and what
#   came back. Run it as often as you like.
# - Grading runs your function again, on the visible cases and on fresh ones of the same kinds, with other
#   sizes and numbers. A function earns the share of its points that belongs to the fresh cases it passes.
#   Rounding in single precision (float32) is always accepted, and so are loops: only the values count.
# - Arrays come in read-only: `x -= 1` on an input raises an error. Work on a copy.
# - Inputs may be arrays or lists, of whole numbers too. Text counts steps from 1 to T, code from 0 to T -
#   1.

# %%
import numpy as np

from course_utils.checks import check, check_answer

# %% [markdown]
# ## 1. A batch that learns (5 points)
#
# Write `lms` for B rows side by side. Each row learns `taps` taps **of its own**, from zero:
#
# $$e_t = d_t - w \cdot u_t, \qquad w \leftarrow w + \mu\, e_t\, u_t$$
#
# The window $u_t = (x_t, x_{t-1}, \dots)$ has the newest input first, and zeros for what came before the
# first input. Return the taps at the end and the errors, each error taken **before** its own update.
#
# By hand, with B = 1, two taps, $\mu = 0.5$: $x = (1, 2)$, $d = (2, 4)$:
#
# | step | window | output | error | taps after the step |
# |---|---|---|---|---|
# | 1 | (1, 0) | 0 | 2 | (1, 0) |
# | 2 | (2, 1) | 2 | 2 | (3, 1) |
#
# T = 0 is legal: the taps stay zero and the errors have shape `(B, 0)`.


# %% answer="lms"
def lms(x, d, taps, mu):
    """Learn the taps of every row of a batch by LMS.

    Parameters
    ----------
    x : (B, T) array or nested list, the inputs; T = 0 is allowed.
    d : (B, T) array or nested list, the targets.
    taps : int, the number of taps, at least 1; it may be larger than T.
    mu : float, the step.

    Returns
    -------
    w : (B, taps) array, the taps of each row after its last sample, newest input first.
    errors : (B, T) array, e_t of each row.
    """
    ...


# %% check="lms" points=5
check(lms)

# %% [markdown]
# Try it: two boxes with other taps, the same noise. Does each row find its own?

# %%
noise = np.random.default_rng(0).normal(size=300)
shifted = np.append(0, noise[:-1])
w, errors = lms([noise, noise], [noise - shifted, 3 * noise], 2, 0.1)
print(np.round(w, 3))

# %% [markdown]
# ## 2. The largest step, from data (3 points)
#
# Write `largest_stable_step`: the bound $2 / \lambda_{\max}$ of the *mean* recursion, with the largest
# eigenvalue of
#
# $$R = \frac{1}{T} \sum_{t=1}^{T} u_t\, u_t^\top$$
#
# The windows $u_t$ are those of question 1, the first ones with their zeros.
#
# By hand, for $x = (1, 1)$ and two taps: the windows are $(1, 0)$ and $(1, 1)$, so $R = \tfrac12
# \begin{pmatrix} 2 & 1 \\ 1 & 1 \end{pmatrix}$ with $\lambda_{\max} = 1.309$, and the bound is 1.528. Silence
# ($x$ all zero) moves no tap: there the bound is `np.inf`.


# %% answer="largest_stable_step"
def largest_stable_step(x, taps):
    """Compute the largest step below which LMS converges in the mean.

    Parameters
    ----------
    x : (T,) array or list, the inputs, T >= 1.
    taps : int, the number of taps, at least 1; it may be larger than T.

    Returns
    -------
    float, 2 / lambda_max of the mean of u_t u_t^T; infinite when x is all zero.
    """
    ...


# %% check="largest_stable_step" points=3
check(largest_stable_step)

# %% [markdown]
# ## 3. The gradient of a loop (4 points)
#
# B filters share one pole $\alpha$, one gain $\beta$ and one start $h_0$:
#
# $$y_t = \alpha\, y_{t-1} + \beta\, x_t, \quad y_0 = h_0, \qquad J = \frac{1}{2BT} \sum_{\text{rows}}
# \sum_t (d_t - y_t)^2$$
#
# Write `pole_gradient`, which returns the three derivatives of $J$ with respect to $\alpha$, $\beta$ and
# $h_0$. The lesson had the recursions for $\alpha$ and $\beta$ with $y_0 = 0$; the start has one as well.
#
# By hand, with B = 1, T = 2: $x = (1, 0)$, $d = (3, 1)$, $\alpha = 0.5$, $\beta = 2$, $h_0 = 4$:
#
# | step | output | error | by α | by β | by h₀ |
# |---|---|---|---|---|---|
# | 1 | 4 | -1 | 4 | 1 | 0.5 |
# | 2 | 2 | -1 | 4 + 0.5 · 4 = 6 | 0.5 | 0.25 |
#
# So the gradient is $(10,\ 1.5,\ 0.75) / 2 = (5,\ 0.75,\ 0.375)$.


# %% answer="pole_gradient"
def pole_gradient(x, d, alpha, beta, h0):
    """Compute the gradient of half the mean squared error of a one-pole filter.

    Parameters
    ----------
    x : (B, T) array or nested list, the inputs, T >= 1.
    d : (B, T) array or nested list, the targets.
    alpha, beta : floats, pole and gain.
    h0 : float, the state before the first input, the same for all rows.

    Returns
    -------
    (3,) array: dJ/dalpha, dJ/dbeta, dJ/dh0.
    """
    ...


# %% check="pole_gradient" points=4
check(pole_gradient)

# %% [markdown]
# Try it: at the minimum all three must vanish. (The targets come from $\alpha = 0.5$, $\beta = 2$, $h_0 =
# 4$.)

# %%
print(pole_gradient([[1, 0, 0]], [[4, 2, 1]], 0.5, 2, 4))

# %% [markdown]
# ## 4. A pole that learns from every sample (4 points)
#
# Gradient descent in the lesson used a whole row for each update. Write `adapt_pole`, which updates after
# **every sample**, as LMS does. At step t, with $y$ and both derivatives starting from 0:
#
# 1. the derivatives take one step, $s \leftarrow y_{t-1} + \alpha s$ for $\alpha$ and $b \leftarrow x_t +
#    \alpha b$ for $\beta$, then the output, $y_t = \alpha y_{t-1} + \beta x_t$, all with the pole and gain
#    as they are;
# 2. $e_t = d_t - y_t$;
# 3. $\alpha \leftarrow \alpha + \mu\, e_t\, s$, and a pole beyond `limit` or below `-limit` is **put back**
#    to it; $\beta \leftarrow \beta + \mu\, e_t\, b$.
#
# By hand: $x = (1, 0)$, $d = (2, 2)$, start $\alpha = 0.5$, $\beta = 1$, $\mu = 0.5$, limit 0.9:
#
# | step | s | b | y | e | pole | gain |
# |---|---|---|---|---|---|---|
# | 1 | 0 | 1 | 1 | 1 | 0.5 | 1.5 |
# | 2 | 1 | 0.5 | 0.5 | 1.5 | 1.25, put back to 0.9 | 1.875 |


# %% answer="adapt_pole"
def adapt_pole(x, d, alpha, beta, mu, limit):
    """Learn a pole and a gain online; the pole never leaves [-limit, limit] after an update.

    Parameters
    ----------
    x : (T,) array or list, the inputs.
    d : (T,) array or list, the targets.
    alpha, beta : floats, pole and gain before the first sample.
    mu : float, the step.
    limit : float, 0 < limit < 1.

    Returns
    -------
    (T, 2) array: row t holds pole and gain after the update of sample t.
    """
    ...


# %% check="adapt_pole" points=4
check(adapt_pole)

# %% [markdown]
# Try it: a filter whose pole changes from 0.5 to 0.8 half way. How many samples does the pole need to
# follow?

# %%
x = np.random.default_rng(1).normal(size=600)
d, y = np.zeros(600), 0.0
for t in range(600):
    d[t] = y = (0.5 if t < 300 else 0.8) * y + x[t]
print(np.round(adapt_pole(x, d, 0.0, 1.0, 0.02, 0.95)[[50, 299, 350, 599], 0], 2))

# %% [markdown]
# ## 5. How many samples? (1 point)
#
# The autocorrelation matrix of an input has the eigenvalues <<large>> and <<small>>. LMS learns two taps with
# $\mu = <<mu>>$, half the bound of the mean. After how many samples has the **slower** component of the mean
# error fallen to $1/e$?
#
# Answer with a number; half a sample more or less is accepted. The visible check looks at the form only;
# whether it is right, and why, is said after grading.

# %% answer="samples_to_learn"
samples_to_learn = ...

# %% check="samples_to_learn" points=1
check_answer("samples_to_learn", samples_to_learn)

# %% [markdown]
# ## 6. Which loop is a latch? (1 point)
#
# Pulses of size 5 arrive now and then, up or down; between them there is noise of size 0.1, for hundreds of
# steps. A loop is to hold the sign of the **last pulse**, bounded, and to ignore the noise. Which one does?
#
# - **a** $h_t = 0.5\, h_{t-1} + x_t$
# - **b** $h_t = h_{t-1} + x_t$
# - **c** $h_t = \tanh(0.5\, h_{t-1} + x_t)$
# - **d** $h_t = \tanh(3\, h_{t-1} + x_t)$

# %% answer="which_loop"
which_loop = ...

# %% check="which_loop" points=1
check_answer("which_loop", which_loop)

# %% [markdown]
# ## 7. The wall (2 points)
#
# A colleague learns the pole of a filter by gradient descent, one update for each row of 1,000 samples. For
# thousands of updates all is well and $\alpha$ stands near 0.98. Then one update takes it to 1.03, the
# error power jumps by many orders of magnitude, and the next update gives NaN. She proposes to put $\alpha$
# back to exactly 1 whenever it exceeds 1, or to make the step ten times smaller.
#
# What happened, what do her two proposals mend and what not, and what would you do? Answer in the cell
# below in four to eight sentences. A person reads and marks this answer.

# %% [markdown] written="wall_argument" points=2
# One update crossed the unit circle. From then on the output is multiplied by 1.03 a step, and over a row
# of 1,000 samples that is $1.03^{1000} \approx 7 \cdot 10^{12}$. The derivative runs through a loop with
# the same factor, so the gradient explodes as well, and the next update throws $\alpha$ out of all bounds.
#
# Putting it back to exactly 1 stops the exponential growth only. On the circle nothing is forgotten: output
# and gradient still grow along the row, and the next step starts from the steepest place of the surface. A
# step ten times smaller makes a crossing rarer but not impossible, because the curvature grows without
# bound towards the circle; and it makes all the learning in the flat part ten times slower.
#
# I would put $\alpha$ back to a limit well inside, such as 0.99, or learn $a$ in $\alpha = \tanh(a)$, which
# cannot leave and takes shorter steps near the circle; the price is slow learning there and no horizon
# beyond the limit. Cutting every step to a largest length would also have stopped this one.
