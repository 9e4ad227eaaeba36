# %% [markdown]
# # Exercise 01: Sequences
#
# Twenty points, about 75 minutes, after lesson 01. The lesson counted one layer, convolved one row and ran
# rules over full rows. Here you count a whole network, find the steps that a stack of convolutions really
# reads, convolve a batch with several numbers a step, carry statistics through padding, and measure how much
# a reader uses order.
#
# | question | points |
# |---|---|
# | 1 `concat_weights` | 2 |
# | 2 `receptive_field` | 3 |
# | 3 `causal_conv1d` | 5 |
# | 4 `running_statistics` | 4 |
# | 5 `order_sensitivity` | 2 |
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
# - Batch comes first: `x` has shape `(B, T)` or `(B, T, d)`. Text counts steps from 1 to T, code from 0 to
#   T - 1.

# %%
import numpy as np

from course_utils.checks import check, check_answer

# %% [markdown]
# ## 1. What concatenation costs (2 points)
#
# A network reads T vectors of d numbers, laid side by side in one vector. It is a chain of full layers:
# `widths[0]` units read the long vector, `widths[1]` units read those, and so on. Each unit has a weight for
# each number that it reads and one bias.
#
# Write `concat_weights`. It returns two counts of **all weights and biases**: of this network, and of one
# whose first layer uses the same block of weights, `widths[0]` times d, at every step and adds up the results
# (and the bias once).
#
# By hand, T = 3, d = 2, widths 4 and 1: concatenated (3 · 2 + 1) · 4 = 28 and (4 + 1) · 1 = 5, together 33;
# shared (2 + 1) · 4 = 12 and 5, together 17.


# %% answer="concat_weights"
def concat_weights(T, d, widths):
    """Count the parameters of a network over T concatenated vectors, and with a shared first block.

    Parameters
    ----------
    T : int, steps.
    d : int, numbers a step.
    widths : list of ints, units of each layer, from the first on.

    Returns
    -------
    (concatenated, shared) : two ints.
    """
    ...


# %% check="concat_weights" points=2
check(concat_weights)

# %% [markdown]
# ## 2. Reach, and what is read inside it (3 points)
#
# In a stack of causal convolutions, layer l has `k[l]` taps that stand `dilations[l]` steps apart. The lesson
# found how far the last output reaches. But with wide gaps a stack can jump over inputs **inside** its reach.
#
# Write `receptive_field`. It returns two numbers: the reach in steps (from the oldest input that counts to
# the newest, both included), and how many inputs the output depends on.
#
# By hand: two taps with dilation 1, then two with dilation 3. The upper layer reads units 0 and 3 steps old,
# each of these the input of its own age and the one before: ages 0, 1, 3, 4. The reach is 5, but 4 inputs are
# read: age 2 is a hole.
#
# Without any layer the output is the input: reach 1, one input.


# %% answer="receptive_field"
def receptive_field(k, dilations):
    """Find the reach of a stack of causal convolutions, and how many inputs it reads.

    Parameters
    ----------
    k : (L,) array or list of ints, the taps of each layer, the lowest first; L = 0 is allowed.
    dilations : (L,) array or list of ints, the steps between two taps of each layer.

    Returns
    -------
    (reach, read) : two ints; read <= reach.
    """
    ...


# %% check="receptive_field" points=3
check(receptive_field)

# %% [markdown]
# Try it: which of these two stacks, with the same reach, skips inputs?

# %%
print(receptive_field([3, 3], [1, 3]), receptive_field([3, 3], [2, 2]))

# %% [markdown]
# ## 3. A convolution for real rows (5 points)
#
# Write `causal_conv1d` for a batch, with d numbers in and C numbers (*channels*) out at every step:
#
# $$y_{t,c} = b_c + \sum_{i=0}^{k-1} \sum_{j=1}^{d} W_{c,j,i}\; x_{t - i\,\delta,\, j}$$
#
# $\delta$ is the dilation. Tap i = 0 weighs the newest input, and inputs before the first step are zero, so
# the result has as many steps as the input. It may not look ahead.
#
# By hand, one row, d = C = 1: x = (1, 0, 2, 0), taps (5, 3), b = 1, dilation 2.
#
# | step | newest: 5 · x_t | two steps ago: 3 · x_(t-2) | y |
# |---|---|---|---|
# | 1 | 5 | 0 | 6 |
# | 2 | 0 | 0 | 1 |
# | 3 | 10 | 3 | 14 |
# | 4 | 0 | 0 | 1 |
#
# T = 0 is legal and gives shape `(B, 0, C)`; a tap that reaches back beyond the whole row adds nothing.


# %% answer="causal_conv1d"
def causal_conv1d(x, W, b=None, dilation=1):
    """Convolve a batch of rows, each step from itself and earlier steps.

    Parameters
    ----------
    x : (B, T, d) array or nested list, the inputs; T = 0 is allowed.
    W : (C, d, k) array or nested list, the weights; W[:, :, 0] weighs the newest input.
    b : (C,) array or list, added at every step; nothing is added when None.
    dilation : int, steps between two taps.

    Returns
    -------
    (B, T, C) array.
    """
    ...


# %% check="causal_conv1d" points=5
check(causal_conv1d)

# %% [markdown]
# Try it: a single 1 at the third step. The first nonzero output must not come before it.

# %%
row = np.zeros((1, 6, 1))
row[0, 2] = 1
print(causal_conv1d(row, [[[4, 2, 1]]])[0, :, 0])

# %% [markdown]
# ## 4. Statistics that are carried (4 points)
#
# Write `running_statistics`: mean, variance and maximum **of the steps so far**, at every step. Only the
# first `lengths[i]` steps of row i are real; behind them all three numbers keep their last values.
#
# The variance is the plain one, the mean of the squared distances from the mean so far. You may compute
# each prefix anew, or carry a few numbers: with $\Delta_t = x_t - m_{t-1}$, the distance from the old mean,
#
# $$m_t = m_{t-1} + \frac{\Delta_t}{t}, \qquad S_t = S_{t-1} + \Delta_t\,(x_t - m_t),
# \qquad v_t = \frac{S_t}{t}$$
#
# By hand, x = (4, 2, 6): means 4, 3, 4. $S$ begins at 0; then $\Delta = -2$ times $x - m = -1$ adds 2, and
# $\Delta = 3$ times $x - m = 2$ adds 6: 0, 2, 8. Variances 0, 1, 8/3; maxima 4, 4, 6.


# %% answer="running_statistics"
def running_statistics(x, lengths):
    """Carry mean, variance and maximum over padded rows.

    Parameters
    ----------
    x : (B, T) array or nested list, T >= 1.
    lengths : (B,) array or list of ints from 1 to T, the real steps of each row.

    Returns
    -------
    (means, variances, maxima) : three (B, T) arrays, of the real steps up to each step.
    """
    ...


# %% check="running_statistics" points=4
check(running_statistics)

# %% [markdown]
# ## 5. How much order does a reader use? (2 points)
#
# A reader scores a row by one weight for each number of each step, $s = \sum_t \sum_j W_{t,j}\, x_{t,j}$.
# Write `order_sensitivity`: shuffle the **steps** of each row by each of the given orders (place i gets step
# `order[i]`; the numbers of a step stay together), and average the size of the change of the score over the
# orders.
#
# By hand: x = (1, 2, 4), W = (1, 0, 3), score 13. The order (2, 1, 0) makes (4, 2, 1), score 7: change 6. The
# order (1, 2, 0) makes (2, 4, 1), score 5: change 8. The mean is 7.


# %% answer="order_sensitivity"
def order_sensitivity(x, W, orders):
    """Measure how far shuffled steps move a weighted score.

    Parameters
    ----------
    x : (B, T, d) array or nested list, the rows.
    W : (T, d) array or nested list, the weights of the score.
    orders : (S, T) array or list of lists; each row holds 0 ... T - 1 in some order.

    Returns
    -------
    (B,) array: for each row the mean over the orders of |score(shuffled) - score(row)|.
    """
    ...


# %% check="order_sensitivity" points=2
check(order_sensitivity)

# %% [markdown]
# ## 6. A second of sound (1 point)
#
# A sensor is read <<hz>> times a second. A stack of causal convolutions with **three** taps a layer and
# dilations 1, 2, 4, ... (doubled from layer to layer) is to see a whole second, <<hz>> steps, at every step.
# How many layers does it need at least? Answer with a whole number.

# %% answer="layers_for_a_second"
layers_for_a_second = ...

# %% check="layers_for_a_second" points=1
check_answer("layers_for_a_second", layers_for_a_second)

# %% [markdown]
# ## 7. What a still answer means (1 point)
#
# On every row that you try, a trained model gives the same answer however the steps of the row are shuffled.
# What follows?
#
# - **a** the order of the steps has no influence on the right answers
# - **b** the model contains no loop
# - **c** on these rows the model uses only which steps occur, not where
# - **d** training and test rows were mixed up
#
# Answer with a letter in quotes. The visible check looks at the form only; whether it is right, and why, is
# said after grading.

# %% answer="shuffle_verdict"
shuffle_verdict = ...

# %% check="shuffle_verdict" points=1
check_answer("shuffle_verdict", shuffle_verdict)

# %% [markdown]
# ## 8. Which reader? (2 points)
#
# A colleague sorts reviews into good and bad. Her model takes the mean of the word vectors. Shuffling
# all words changes no answer (but for 3 of 1,000, by rounding), and she concludes: "Word order does not
# matter for reviews." Her remaining mistakes are of two kinds: a "not" two words before its adjective,
# and a first sentence that is taken back some forty words later.
#
# What does her test show, and what not? Which reader would you give her for each kind of mistake, and what
# does it cost or where does it end? Answer in the cell below in four to seven sentences. A person reads and
# marks this answer.

# %% [markdown] written="reader_argument" points=2
# The test says something about her model, not about reviews: a mean of word vectors *cannot* use order, so no
# shuffle can show that order would help; the few changed answers are rounding near the border. Whether order
# matters is seen by training a reader that can use it.
#
# For the "not" two words before its adjective a window of three or four words is enough. Its weights are the
# same at every place, so it need not learn the pair anew for each position. It is blind to everything farther
# apart than its taps.
#
# For the sentence taken back forty words later the reader must reach at least that far: a stack of
# convolutions with doubled dilations (two taps, six layers: 64 steps), which has a fixed reach and many
# units, or a carried state, which costs the same for any length but must hold the first sentence through
# forty updates, and may fail to learn that. Laying all words side by side would reach as far, but has weights
# for each position and needs examples for each.
