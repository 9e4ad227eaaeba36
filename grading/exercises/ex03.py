# %% [markdown]
# # Exercise 03: Modes
#
# Twenty points, about 60 minutes, after lesson 03. The lesson ran one sequence through one matrix and looked
# at its modes one by one. Here you run several sequences side by side, put all modes of a matrix in a table,
# take a fraction of a step, and find the memory of the whole.
#
# | question | points |
# |---|---|
# | 1 `linear_states` | 5 |
# | 2 `mode_table` | 5 |
# | 3 `power_by_modes` | 4 |
# | 4 `slowest_horizon` | 2 |
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
# - Matrices may come as arrays or as nested lists, and may hold whole numbers. `np.linalg` may be used
#   freely.

# %%
import numpy as np

from course_utils.checks import check, check_answer

# %% [markdown]
# ## 1. Several sequences at once (5 points)
#
# Write `linear_states`. It carries N sequences side by side through the same matrices,
#
# $$h_t = A\, h_{t-1} + B\, x_t ,$$
#
# and returns every state. Each sequence has its own inputs and its own start. (N counts the sequences here,
# since B is taken.)
#
# By hand, with N = 1, T = 3, one input a step and two numbers in the state:
#
# $$A = \begin{pmatrix} 0.5 & 1 \\ 0 & 0.5 \end{pmatrix}, \quad B = \begin{pmatrix} 0 \\ 1 \end{pmatrix},
# \quad x = (2, 0, 1), \quad h_0 = (1, 0)$$
#
# | step | $A h_{t-1}$ | $B x_t$ | state |
# |---|---|---|---|
# | 1 | (0.5, 0) | (0, 2) | (0.5, 2) |
# | 2 | (2.25, 1) | (0, 0) | (2.25, 1) |
# | 3 | (2.125, 0.5) | (0, 1) | (2.125, 1.5) |
#
# In code a state is a *row* of an array `(N, H)`. Think about what $A h$ becomes then. T = 0 is legal and
# gives an array of shape `(N, 0, H)`.


# %% answer="linear_states"
def linear_states(A, B, x, h0=None):
    """Carry N sequences through one matrix recursion and return all their states.

    h_t = A h_(t-1) + B x_t

    Parameters
    ----------
    A : (H, H) array or nested list.
    B : (H, d) array or nested list.
    x : (N, T, d) array or nested list, the inputs; T = 0 is allowed.
    h0 : (N, H) array or nested list, the states before the first input; zeros when None.

    Returns
    -------
    (N, T, H) array: [n, t] is the state of sequence n after its input x[n, t].
    """
    ...


# %% check="linear_states" points=5
check(linear_states)

# %% [markdown]
# Try it: one input, a 1, enters the first number; the matrix only hands each number on to the next. What does
# the state hold after each step?

# %%
hand_on = [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
print(linear_states(hand_on, [[1], [0], [0], [0]], [[[1], [0], [0], [0], [0]]])[0])

# %% [markdown]
# ## 2. A table of modes (5 points)
#
# Write `mode_table`: for each of the H eigenvalues $\lambda$ of a matrix its
#
# - radius $|\lambda|$,
# - angle $|\theta|$ in radians, from 0 to $\pi$ (both of a complex pair have the same),
# - period $2\pi/|\theta|$ in steps, `np.inf` for a factor that does not turn,
# - horizon $-1/\ln|\lambda|$ in steps, `np.inf` for a radius of 1 or more and 0 for a radius of 0,
#
# as a tuple of four arrays `(H,)`, **slowest mode first**, that is, by falling radius.
#
# By hand: $A = \begin{pmatrix} 0 & 0.9 \\ -0.9 & 0 \end{pmatrix}$ sends $(1, 0)$ to $(0, -0.9)$, then to
# $(-0.81, 0)$. Each step turns by a quarter and shrinks to 0.9. So both modes have the radius 0.9, the angle
# $\pi/2 = 1.571$, the period 4 and the horizon 9.49:
#
#     ([0.9, 0.9], [1.571, 1.571], [4, 4], [9.49, 9.49])
#
# A negative factor lies at the angle $\pi$ and has the period 2.


# %% answer="mode_table"
def mode_table(A):
    """List radius, angle, period and horizon of every mode of a matrix, slowest first.

    Parameters
    ----------
    A : (H, H) array or nested list.

    Returns
    -------
    radius : (H,) array, the sizes of the eigenvalues, falling.
    angle : (H,) array, radians a step, 0 to pi.
    period : (H,) array, steps for a full turn; infinite where the angle is 0.
    horizon : (H,) array, steps to 1/e; infinite where the radius is 1 or more, 0 where it is 0.
    """
    ...


# %% check="mode_table" points=5
check(mode_table)

# %% [markdown]
# Try it: five numbers handed round in a circle, a tenth lost at every step. How many different horizons, how
# many different periods do you expect?

# %%
circle = 0.9 * np.roll(np.eye(5), 1, axis=0)
for name, row in zip(["radius", "angle", "period", "horizon"], mode_table(circle), strict=True):
    print(f"{name:8}", np.round(row, 3))

# %% [markdown]
# ## 3. A fraction of a step (4 points)
#
# Along its axes a matrix is a list of factors, and a factor can be raised to any power:
#
# $$A^t = V \begin{pmatrix} \lambda_1^t & & \\ & \ddots & \\ & & \lambda_H^t \end{pmatrix} V^{-1}$$
#
# Write `power_by_modes` for any real $t$: 3 are three steps, 0.5 is half a step, $-1$ undoes a step.
#
# By hand: $A = \begin{pmatrix} 0.8 & 0.1 \\ 0.1 & 0.8 \end{pmatrix}$ has the factors 0.9 on $(1, 1)$ and
# 0.7 on $(1, -1)$. Half a step has the factors $\sqrt{0.9} = 0.9487$ and $\sqrt{0.7} = 0.8367$ on the same
# axes:
#
# $$A^{0.5} = \begin{pmatrix} 0.8927 & 0.0560 \\ 0.0560 & 0.8927 \end{pmatrix}$$
#
# (0.8927 is the mean of both, 0.0560 half their difference.) Multiply it with itself to see that two half
# steps are one.
#
# Eigenvalues may be complex; then a fraction of a step turns by that fraction of the angle. $A$ is real, so
# the result is a real matrix. Every matrix here has H axes; where $t$ is not whole no eigenvalue is negative,
# and where $t < 0$ none is zero.


# %% answer="power_by_modes"
def power_by_modes(A, t):
    """Raise a matrix to any real power through its modes.

    A^t = V diag(lambda^t) V^-1

    Parameters
    ----------
    A : (H, H) array or nested list with H independent axes.
    t : float or int, how many steps; a fraction and a negative number are legal.

    Returns
    -------
    (H, H) array of real numbers.
    """
    ...


# %% check="power_by_modes" points=4
check(power_by_modes)

# %% [markdown]
# Try it: ten tenths of a spiral's step are one step. The state now moves along a smooth curve.

# %%
spiral = np.array([[0.9, 0.3], [-0.3, 0.9]])
h = np.array([1.0, 0.0])
for _ in range(10):
    h = power_by_modes(spiral, 0.1) @ h
    print(h.round(4))
print("one whole step:", spiral @ [1, 0])

# %% [markdown]
# ## 4. The memory of the whole (2 points)
#
# Write `slowest_horizon`: the horizon of the whole state, $-1/\ln\rho$ with the spectral radius $\rho$. It is
# `np.inf` for $\rho \ge 1$ and 0 for $\rho = 0$.
#
# By hand: $\begin{pmatrix} 0.5 & 3 \\ 0 & -0.8 \end{pmatrix}$ has the factors 0.5 and $-0.8$ (below the
# diagonal there are only zeros, so they stand on it). The slowest is $-0.8$: $-1/\ln 0.8 = 4.48$ steps. The 3
# has no say in where it ends.


# %% answer="slowest_horizon"
def slowest_horizon(A):
    """Return the horizon of the slowest mode of a matrix.

    Parameters
    ----------
    A : (H, H) array or nested list.

    Returns
    -------
    float, in steps: -1 / ln(rho); infinite for rho >= 1, 0 for rho = 0.
    """
    ...


# %% check="slowest_horizon" points=2
check(slowest_horizon)

# %% [markdown]
# ## 5. Every second step (1 point)
#
# You look at a state only after every second step, so $A^2$ takes the place of $A$. A mode has the factor
# $\lambda = 0.9\, e^{\mathrm{i}\theta}$ with $\theta = 20°$. What happens to its horizon and its period, both
# counted in the new, longer steps?
#
# - **a** both halve
# - **b** both double
# - **c** the horizon halves, the period stays
# - **d** both stay
#
# Answer with a letter in quotes. The visible check looks at the form only; whether it is right, and why, is
# said after grading.

# %% answer="every_second_step"
every_second_step = ...

# %% check="every_second_step" points=1
check_answer("every_second_step", every_second_step)

# %% [markdown]
# ## 6. After one turn (1 point)
#
# A state swings with the factors $<<a>> \pm <<a>>\,\mathrm{i}$. Which share of its size is left after one
# full turn? Answer with a number, to three decimals.

# %% answer="left_after_one_turn"
left_after_one_turn = ...

# %% check="left_after_one_turn" points=1
check_answer("left_after_one_turn", left_after_one_turn)

# %% [markdown]
# ## 7. A safe matrix? (2 points)
#
# A colleague starts a network from a matrix with spectral radius 0.97. "All eigenvalues are below one," she
# says, "so without input no state ever gets longer." She then sees states that grow to twenty times their
# length before they fade.
#
# She asks you: what do the eigenvalues promise and what not, how can the state grow when every mode
# shrinks, and which number should she have looked at, or which kind of matrix should she have taken? Answer
# in the cell below in four to eight sentences. A person reads and marks this answer.

# %% [markdown] written="growth_argument" points=2
# The eigenvalues promise the end: without input every mode shrinks by at least 3 per cent a step, so the
# state goes to zero, sooner or later. They promise nothing about the way there.
#
# The axes of her matrix are nearly parallel. A short state can then be the difference of two long arrows
# along two axes, which nearly cancel. Each arrow shrinks, but at its own pace; when the faster one has
# gone, the long slow one stands alone, and the state is much longer than at the start.
#
# The largest singular value is the most that one step can stretch any state; below 1 nothing ever grows,
# and that of $A^t$ gives the most after t steps. Or she takes a matrix with axes at right angles, a
# symmetric one or an orthogonal one times 0.97: there the largest singular value equals the spectral
# radius.
