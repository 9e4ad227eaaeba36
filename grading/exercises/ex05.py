# %% [markdown]
# # Exercise 05: The plain RNN
#
# Twenty points, about 75 minutes, after lesson 05. The lesson ran the loop over rows of one length. Real
# rows have lengths of their own. Here you write the loop for a padded batch, read each row at its end,
# put layers on top of each other, read in both directions, and say beforehand how many bytes all that
# keeps.
#
# | question | points |
# |---|---|
# | 1 `rnn_forward` | 5 |
# | 2 `last_valid_state` | 2 |
# | 3 `stacked_forward` | 3 |
# | 4 `bidirectional_forward` | 4 |
# | 5 `activation_bytes` | 2 |
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
#   Only the values count: a loop over rows is as good as one over steps, and rounding in single precision
#   (float32) is always accepted.
# - Inputs come as torch tensors. All numbers of one call are float32, or all are float64; `x.new_zeros(2, 3)`
#   makes zeros that fit. Inputs must not be changed, and may be transposed tensors, which `view` refuses and
#   `reshape` takes.
# - Batch comes first. `lengths` is an int64 tensor `(B,)`, in any order, with numbers from 0 to T. **What x
#   holds after a row's length is padding and has no meaning**: zeros or any other numbers.
# - You may call one of your functions in another one. A fault in it then shows in both.

# %%
import torch

from course_utils.checks import check, check_answer

# %% [markdown]
# ## 1. The loop over a padded batch (5 points)
#
# Write `rnn_forward`. It carries B rows side by side,
#
# $$h_t = \tanh(W_{xh}\, x_t + W_{hh}\, h_{t-1} + b) ,$$
#
# and returns every state, with **zeros after the length** of a row, as unpacking a packed batch does.
#
# By hand, with B = 2, T = 3, d = H = 1, $W_{xh} = 1$, $W_{hh} = 0.5$, $b = 0.5$, from zero. Row 1 is
# $(0.5, 0, -0.5)$ with length 3:
#
# | step | input | recurrent | bias | state |
# |---|---|---|---|---|
# | 1 | 0.5 | 0.5 · 0 = 0 | 0.5 | tanh 1 = 0.762 |
# | 2 | 0 | 0.5 · 0.762 = 0.381 | 0.5 | tanh 0.881 = 0.707 |
# | 3 | -0.5 | 0.5 · 0.707 = 0.353 | 0.5 | tanh 0.353 = 0.339 |
#
# Row 2 is $(0.5, 9, 9)$ with length 1: its states are $(0.762, 0, 0)$. The nines are pads.
#
# A row of length 0 is legal: all its states are zeros.


# %% answer="rnn_forward"
def rnn_forward(x, lengths, W_xh, W_hh, b, h0=None):
    """Read a padded batch step by step and keep every state.

    h_t = tanh(W_xh x_t + W_hh h_(t-1) + b)

    Parameters
    ----------
    x : (B, T, d) tensor, T >= 1, padded at the end of each row.
    lengths : (B,) int64 tensor, the number of real steps of each row, 0 to T.
    W_xh, W_hh, b : (H, d), (H, H) and (H,) tensors.
    h0 : (B, H) tensor, the states before the first step; zeros when None.

    Returns
    -------
    (B, T, H) tensor: [n, t] is the state of row n after input x[n, t], zeros from t = lengths[n] on.
    """
    ...


# %% check="rnn_forward" points=5
check(rnn_forward)

# %% [markdown]
# Try it: one unit that holds what it got (a large recurrent weight, no bias). The second row has ended
# after two steps. What does each row show?

# %% id="try-rnn_forward"
pulse = torch.tensor([[[2.0], [0.0], [0.0], [0.0]], [[-2.0], [0.0], [5.0], [5.0]]])
hold = torch.tensor([[3.0]])
print(rnn_forward(pulse, torch.tensor([4, 2]), torch.ones(1, 1), hold, torch.zeros(1))[:, :, 0])

# %% [markdown]
# ## 2. Each row at its own end (2 points)
#
# Write `last_valid_state`: the state of each row after its last real step. The states may come from
# anywhere, so do not count on zeros after the length. A row of length 0 has made no step: its state is
# still $h_0$.
#
# By hand, with B = 2, T = 3, H = 2:
#
# - row 1 has the states (0.1, 0.2), (0.3, 0.4), (0.5, 0.6) and length 2, so its last valid state is
#   (0.3, 0.4);
# - row 2 has length 0, so its last valid state is its start $h_0 = (7, 8)$.


# %% answer="last_valid_state"
def last_valid_state(states, lengths, h0):
    """Pick the state of each row after its last real step.

    Parameters
    ----------
    states : (B, T, H) tensor, T >= 1; what it holds after a row's length has no meaning.
    lengths : (B,) int64 tensor, the number of real steps of each row, 0 to T.
    h0 : (B, H) tensor, the states before the first step.

    Returns
    -------
    (B, H) tensor.
    """
    ...


# %% check="last_valid_state" points=2
check(last_valid_state)

# %% [markdown]
# Try it: every state holds the number of its step, and the start is 0. What should come back?

# %% id="try-last_valid_state"
counts = torch.arange(1.0, 6.0).reshape(1, 5, 1).repeat(4, 1, 1)
print(last_valid_state(counts, torch.tensor([3, 0, 5, 1]), torch.zeros(4, 1))[:, 0])

# %% [markdown]
# ## 3. A stack (3 points)
#
# Write `stacked_forward`: layer 1 reads x, every other layer reads the states of the layer below. Return
# two things, as `nn.RNN` does for a packed batch:
#
# - `output`, the states of the **top** layer, with zeros after the length of a row;
# - `h_n`, for **every** layer, layer 1 first, the state of each row after its last real step.
#
# By hand, with B = 2, T = 2, d = H = 1, from zero: row 1 is $(0.5, 0)$ with length 2, row 2 is $(1, 9)$
# with length 1. Layer 1 has $W_{xh} = 1$, $W_{hh} = 0.5$, $b = 0$;
# layer 2 has $W_{xh} = 2$, $W_{hh} = -1$, $b = 0.1$:
#
# | row | step | layer 1 | layer 2 |
# |---|---|---|---|
# | 1 | 1 | tanh 0.5 = 0.462 | tanh(2 · 0.462 - 0 + 0.1) = tanh 1.024 = 0.772 |
# | 1 | 2 | tanh(0.5 · 0.462) = 0.227 | tanh(2 · 0.227 - 0.772 + 0.1) = tanh(-0.218) = -0.214 |
# | 2 | 1 | tanh 1 = 0.762 | tanh(2 · 0.762 + 0.1) = tanh 1.623 = 0.925 |
#
# So `output` is $\big((0.772, -0.214), (0.925, 0)\big)$, and `h_n` holds $(0.227, 0.762)$ for layer 1 and
# $(-0.214, 0.925)$ for layer 2.
#
# A row of length 0 keeps its start in every layer: there `h_n` is `h0`.


# %% answer="stacked_forward"
def stacked_forward(x, lengths, layers, h0=None):
    """Read a padded batch through several layers.

    Parameters
    ----------
    x : (B, T, d) tensor, T >= 1, padded at the end of each row.
    lengths : (B,) int64 tensor, the number of real steps of each row, 0 to T.
    layers : list of L triples (W_xh, W_hh, b), layer 1 first; W_xh is (H, d) there and (H, H) above.
    h0 : (L, B, H) tensor, the states of each layer before the first step; zeros when None.

    Returns
    -------
    output : (B, T, H) tensor, the states of the top layer, zeros after the length of a row.
    h_n : (L, B, H) tensor, in each layer the state of each row after its last real step.
    """
    ...


# %% check="stacked_forward" points=3
check(stacked_forward)

# %% [markdown]
# Try it: three layers that each hand on `pulse` of question 1. When does it reach the top, and how strong
# is it? (All three read within the same step; nothing waits.)

# %% id="try-stacked_forward"
hand_on = (torch.ones(1, 1), torch.zeros(1, 1), torch.zeros(1))
output, h_n = stacked_forward(pulse, torch.tensor([4, 2]), [hand_on, hand_on, hand_on])
print(output[:, :, 0], h_n[:, :, 0], sep="\n")

# %% [markdown]
# ## 4. Both directions (4 points)
#
# Write `bidirectional_forward`. One unit reads each row from its first step to its last real one; a second
# unit, with weights of its own, reads from the **last real step** back to the first. Both start from zero.
# Return
#
# - `output`: at each step the forward state, then the backward state, side by side; zeros after the length;
# - `h_n`: the state of each direction after *its* last step.
#
# By hand, with B = 2, T = 3, d = H = 1; both directions have $W_{xh} = 1$, $W_{hh} = 0.5$, $b = 0$. Row 2
# is $(0.5, 1, 9)$ with length 2:
#
# - forward: step 1 gives tanh 0.5 = 0.462, step 2 gives tanh(1 + 0.231) = 0.843;
# - backward: step 2 comes first and gives tanh 1 = 0.762, then step 1 gives tanh(0.5 + 0.381) = 0.707.
#
# So its `output` is $\big((0.462, 0.707), (0.843, 0.762), (0, 0)\big)$, and `h_n` has 0.843 for forward and
# 0.707 for backward. The backward state at step 2 has seen a single input.
#
# A row of length 0 has zeros everywhere.


# %% answer="bidirectional_forward"
def bidirectional_forward(x, lengths, forward, backward):
    """Read a padded batch in both directions, from zero.

    Parameters
    ----------
    x : (B, T, d) tensor, T >= 1, padded at the end of each row.
    lengths : (B,) int64 tensor, the number of real steps of each row, 0 to T.
    forward, backward : triples (W_xh, W_hh, b) of shapes (H, d), (H, H) and (H,), one for each direction.

    Returns
    -------
    output : (B, T, 2H) tensor, at each step the H forward states, then the H backward ones.
    h_n : (2, B, H) tensor, forward after the last real step, backward after the first step.
    """
    ...


# %% check="bidirectional_forward" points=4
check(bidirectional_forward)

# %% [markdown]
# Try it: both weights are 1 in either direction, and one input of the row is not zero. Which steps know of
# it, in which direction? Change the 9, which is a pad: nothing should move.

# %% id="try-bidirectional_forward"
row = torch.tensor([[[0.0], [0.0], [1.0], [0.0], [9.0]]])
weights = (torch.ones(1, 1), torch.ones(1, 1), torch.zeros(1))
output, h_n = bidirectional_forward(row, torch.tensor([4]), weights, weights)
print(output[0].T, h_n[:, 0, 0], sep="\n")

# %% [markdown]
# ## 5. What the backward pass will need (2 points)
#
# During training the forward pass keeps what the backward pass will read: the input x, **once**, and
# every state of every layer and direction, pads included. Write `activation_bytes`, which says how many
# bytes that is. Weights, start states and readouts are not counted. A layer above the first reads states
# that are kept already, from every direction of the layer below; it adds only its own.
#
# By hand, with B = 2, T = 3, d = 5, H = 4, one layer, one direction, float32: x holds 2 · 3 · 5 = 30
# numbers, the states are 2 · 3 · 4 = 24 numbers, together 54 numbers of 4 bytes: 216 bytes. With two
# layers in both directions there are four times as many states: 30 + 96 = 126 numbers, 504 bytes.


# %% answer="activation_bytes"
def activation_bytes(B, T, d, H, layers=1, directions=1, bytes_per_number=4):
    """Count the bytes of the input and of all states that training keeps for the backward pass.

    Parameters
    ----------
    B, T, d, H : ints, sizes of the batch, the rows, an input and a state.
    layers : int, how many layers stand on top of each other.
    directions : int, 1, or 2 when every layer reads in both directions.
    bytes_per_number : int, 4 for float32, 8 for float64, 2 for float16.

    Returns
    -------
    int, in bytes.
    """
    ...


# %% check="activation_bytes" points=2
check(activation_bytes)

# %% [markdown]
# Try it: the lecture's sizes, in MB of a million bytes. Which of the two doublings costs more?

# %% id="try-activation_bytes"
print("the lecture's sizes   ", activation_bytes(32, 100, 300, 512) / 1e6)
print("rows twice as long    ", activation_bytes(32, 200, 300, 512) / 1e6)
print("states twice as large ", activation_bytes(32, 100, 300, 1024) / 1e6)

# %% [markdown]
# ## 6. Longer rows, fewer of them (1 point)
#
# You double T and halve B: as many numbers as before, cut into rows that are twice as long. The rows are
# few enough that your processor had room for more in every step. What happens to the time of a forward
# pass, and to the bytes of the states that are kept?
#
# - **a** both stay about the same
# - **b** the time about doubles, the bytes stay the same
# - **c** the time stays about the same, the bytes double
# - **d** both about double
#
# Answer with a letter in quotes. The visible check looks at the form only; whether it is right, and why, is
# said after grading.

# %% answer="longer_and_fewer"
longer_and_fewer = ...

# %% check="longer_and_fewer" points=1
check_answer("longer_and_fewer", longer_and_fewer)

# %% [markdown]
# ## 7. Count the parameters (1 point)
#
# Two layers, both reading in both directions, with d = <<d>> and H = <<H>> in each direction. The second
# layer reads all states of the first, from both directions, at every step. How many parameters have the two
# layers together? Each direction of each layer has **one** bias `b`, as in this course. Answer with a number.

# %% answer="bidirectional_parameters"
bidirectional_parameters = ...

# %% check="bidirectional_parameters" points=1
check_answer("bidirectional_parameters", bidirectional_parameters)

# %% [markdown]
# ## 8. The company a document keeps (2 points)
#
# A colleague classifies documents by `h_n` of an `nn.RNN`. He fills every batch with zeros at the end of
# the rows and hands it to the network as it is. One document at a time, the classifier works. In batches
# the short documents come out at random, and the same document gets another answer in another batch.
#
# He asks you: why does the answer depend on the company, why is it the short ones that suffer, and what
# can he do (name two ways that keep batches of mixed lengths)? He also plans to read in both directions:
# which of your ways still does? Answer in the cell below in four to eight sentences. A person reads and
# marks this answer.

# %% [markdown] written="padding_argument" points=2
# The network does not know the lengths, so it walks on through the pads, and `h_n` is the state after
# them. How many pads a document gets is decided by the longest one in its batch; alone it gets none.
#
# A pad is a step like any other: the state is multiplied by $W_{hh}$ and goes through the tanh once more,
# and what it held of the text fades or is turned into something else. Short documents get the most pads,
# so the least of their text is left.
#
# He can pack the batch with its lengths, or take the output of each row at its index length - 1, before
# any pad has been read.
#
# In both directions only packing still does (or to reverse each row over its own length). At the index
# length - 1 the backward direction has read all the pads and one word; where it ends, at step 1, it has
# read everything, but began in the pads.
