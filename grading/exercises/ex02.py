# %% [markdown]
# # Exercise 02: One pole
#
# Twenty points, about 60 minutes, after lesson 02. The lesson ran one row through one filter with a fixed
# pole. Here you write the filter for a batch and for a pole that changes at every step, the horizon for any
# fraction, the response of several filters in series, and the way back from a measured decay to its pole.
#
# | question | points |
# |---|---|
# | 1 `one_pole` | 5 |
# | 2 `memory_horizon` | 3 |
# | 3 `frequency_response` | 4 |
# | 4 `estimate_pole` | 4 |
# | 5 and 6, two questions to think about | 1 + 1 |
# | 7, a written answer | 2 |

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
# - Arrays come in read-only: `x -= 1` on an input raises an error. Work on a copy.
# - Batch comes first: `x` has shape `(B, T)`. Text counts steps from 1 to T, code from 0 to T - 1.

# %%
import numpy as np

from course_utils.checks import check, check_answer

# %% [markdown]
# ## 1. A batch, and a pole for each step (5 points)
#
# Write `one_pole`. It carries B rows side by side,
#
# $$h_t = \alpha_t\, h_{t-1} + \beta\, x_t ,$$
#
# and returns every state. `alpha` is one number for all steps, or an array with one pole per step, shared by
# all rows.
#
# By hand, with B = 1, T = 3: $x = (2, 0, 1)$, poles $(0.5,\ 0.5,\ 0)$, $\beta = 3$, start $h_0 = 4$:
#
# | step | kept | added | state |
# |---|---|---|---|
# | 1 | 0.5 · 4 = 2 | 3 · 2 = 6 | 8 |
# | 2 | 0.5 · 8 = 4 | 3 · 0 = 0 | 4 |
# | 3 | 0 · 4 = 0 | 3 · 1 = 3 | 3 |
#
# The pole 0 in the last step wipes out everything before it. Inputs may be arrays or lists, of whole numbers
# too; T = 0 is legal and gives an array of shape `(B, 0)`.


# %% answer="one_pole"
def one_pole(x, alpha, beta=1.0, h0=None):
    """Carry a batch of one-pole filters from h0 and return all their states.

    h_t = alpha_t * h_(t-1) + beta * x_t

    Parameters
    ----------
    x : (B, T) array or nested list, the inputs; T = 0 is allowed.
    alpha : float, or (T,) array or list with the pole of each step.
    beta : float, the input gain.
    h0 : (B,) array or list, the states before the first input; zeros when None.

    Returns
    -------
    (B, T) array: column t is the state after input x[:, t].
    """
    ...


# %% check="one_pole" points=5
check(one_pole)

# %% [markdown]
# Try it: a pole of 1 holds a value, a pole of 0 drops it. What is left of each row after the fifth step?

# %%
keep = [1.0, 1.0, 1.0, 1.0, 0.0, 1.0]
print(one_pole([[3, 0, 0, 0, 0, 0], [0, 0, 7, 0, 0, 2]], keep))

# %% [markdown]
# ## 2. The horizon for any fraction (3 points)
#
# Write `memory_horizon`: the number of steps $n$ after which $|\alpha|^n$ has fallen to `fraction`. It is a
# real number, not a count of whole steps.
#
# By hand: $0.5^2 = 0.25$, so `memory_horizon(0.5, 0.25)` is 2. For $\alpha = 0.9$ and the usual fraction
# $1/e$ it is 9.49.
#
# A negative pole forgets as fast as a positive one of the same size. A pole with $|\alpha| \ge 1$ never
# forgets: its horizon is `np.inf`. A pole of 0 keeps nothing: its horizon is 0.


# %% answer="memory_horizon"
def memory_horizon(alpha, fraction=1 / np.e):
    """Count the steps until a state has faded to a fraction of itself.

    |alpha|^n = fraction, solved for n

    Parameters
    ----------
    alpha : float, the pole, of either sign and any size.
    fraction : float between 0 and 1, what is left at the horizon.

    Returns
    -------
    float, in steps: 0 for alpha = 0, infinite for |alpha| >= 1.
    """
    ...


# %% check="memory_horizon" points=3
check(memory_horizon)

# %% [markdown]
# ## 3. Filters in series (4 points)
#
# Feed the output of one filter into the next, P times. Write `frequency_response` for the whole chain:
#
# $$G(\omega) = \frac{g}{\prod_{k=1}^{P} \left(1 - p_k\, e^{-\mathrm{i}\omega}\right)}$$
#
# The lesson looked at the magnitude of one filter. Here the complex number is asked for; its angle is the
# shift in phase. $\omega$ is in radians per step, and $g$ is the gain of the chain as a whole.
#
# By hand: with the poles 0.5 and -0.5 and $g = 1$, at $\omega = 0$ the factor of a delay,
# $e^{-\mathrm{i}\omega}$, is 1 and $G = 1 / (0.5 \cdot 1.5) = 1.33$; at $\omega = \pi/2$ it is $-\mathrm{i}$
# and $G = 1 / \big((1 + 0.5\,\mathrm{i})(1 - 0.5\,\mathrm{i})\big) = 1 / 1.25 = 0.8$.


# %% answer="frequency_response"
def frequency_response(poles, gain, omega):
    """Compute the complex frequency response of one-pole filters in series.

    G(omega) = gain / prod_k (1 - p_k e^(-i omega))

    Parameters
    ----------
    poles : (P,) array or list of floats, the pole of each filter, P >= 1.
    gain : float, the gain of the whole series.
    omega : (N,) array or list of floats, frequencies in radians per step.

    Returns
    -------
    (N,) complex array, one number for each frequency.
    """
    ...


# %% check="frequency_response" points=4
check(frequency_response)

# %% [markdown]
# Try it: the same pole twice. Which of the two rows falls faster towards high frequencies, and how do the
# rows relate?

# %%
omega = [0.0, 0.1, 1.0, np.pi]
print(np.abs(frequency_response([0.9], 0.1, omega)).round(4))
print(np.abs(frequency_response([0.9, 0.9], 0.01, omega)).round(4))

# %% [markdown]
# ## 4. From a decay back to the pole (4 points)
#
# A filter without input was measured: $h_0, h_1, \dots$ with noise in every value. Write `estimate_pole`,
# which returns the $\alpha$ that makes
#
# $$S(\alpha) = \sum_{t \ge 1} \left(h_t - \alpha\, h_{t-1}\right)^2$$
#
# as small as possible. Find the formula first: where is the derivative of S zero?
#
# By hand: for $h = (2, 1, 1)$ the sum is $S = (1 - 2\alpha)^2 + (1 - \alpha)^2 = 2 - 6\alpha + 5\alpha^2$.
# It is smallest at $\alpha = 0.6$. The two ratios are 0.5 and 1: the larger value 2 has more to say than the
# smaller ones.
#
# The decay may alternate in sign (a negative pole) or grow. Two values are enough.


# %% answer="estimate_pole"
def estimate_pole(h):
    """Estimate the pole of a measured decay by least squares.

    Parameters
    ----------
    h : (T,) array or list, the measured states, T >= 2, not all zero before the last.

    Returns
    -------
    float, the alpha that minimises sum_t (h_t - alpha * h_(t-1))^2.
    """
    ...


# %% check="estimate_pole" points=4
check(estimate_pole)

# %% [markdown]
# ## 5. Which one settles first? (1 point)
#
# Two filters with $\alpha = 0.9$ start from zero and receive the same constant input $u \ne 0$. Filter A has
# $\beta = 1$, filter B has $\beta = 0.1$. Which one reaches 90 % of *its own* final value first?
#
# - **a** filter A
# - **b** filter B
# - **c** both at the same step
# - **d** it depends on u
#
# Answer with a letter in quotes. The visible check looks at the form only; whether it is right, and why, is
# said after grading.

# %% answer="first_to_settle"
first_to_settle = ...

# %% check="first_to_settle" points=1
check_answer("first_to_settle", first_to_settle)

# %% [markdown]
# ## 6. The same memory at a higher rate (1 point)
#
# A filter with $\alpha = <<pole>>$ smooths a sensor that is read 100 times a second. A new sensor is read 400
# times a second. Which pole gives the same memory **in seconds**? Answer with a number, to three decimals.

# %% answer="pole_at_400_hz"
pole_at_400_hz = ...

# %% check="pole_at_400_hz" points=1
check_answer("pole_at_400_hz", pole_at_400_hz)

# %% [markdown]
# ## 7. What calm costs (2 points)
#
# A colleague smooths a temperature with $\beta = 1 - \alpha$ and $\alpha = 0.9$. An alarm goes off when the
# filtered value has covered 90 % of a jump. The curve is too restless for her, so she changes $\alpha$ to
# 0.99. Now the curve is calm, but the alarm comes late.
#
# She asks you: how many steps does the alarm take before and after the change, why can a calm curve not be a
# quick one, and would a larger $\beta$ help? Answer in the cell below in four to eight sentences. A person
# reads and marks this answer.

# %% [markdown] written="delay_argument" points=2
# After a jump of height 1 the filtered value is $1 - \alpha^t$. It reaches 0.9 when $\alpha^t = 0.1$: after
# 22 steps for $\alpha = 0.9$, after 230 steps for 0.99, about ten times as many, like the horizons.
#
# Each state is a weighted mean of past inputs, with weights $(1 - \alpha)\,\alpha^k$. Noise cancels only
# because many inputs share the weight; but the same many old inputs, from before the jump, have to lose
# their weight before the new level shows. Calm and delay both come from the one number $\alpha$, so for this
# filter one cannot be had without the other.
#
# A larger $\beta$ multiplies jump and noise by the same factor. The alarm would come earlier, but only as it
# would with a lower threshold: the noise is as large compared with the jump as before, and false alarms are
# as likely as with that lower threshold.
