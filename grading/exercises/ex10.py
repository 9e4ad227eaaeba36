# %% [markdown]
# # Exercise 10: Classifier
#
# Twenty points, about 90 minutes, after lesson 10. The lesson pads its rows at one end, reads one direction
# and lets its models name a class in any case. Here you write what a classifier needs beside it: rows that
# are cut, pads on either side, a class or none, shares that count what they should, and the training itself.
#
# | question | points |
# |---|---|
# | 1 `pad_batch` | 3 |
# | 2 `masked_last_state` | 3 |
# | 3 `classify` | 3 |
# | 4 `accuracy` | 3 |
# | 5 `train_classifier` | 4 |
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
# - Inputs are torch tensors, or lists where it is said. Some are not contiguous in memory: there `reshape`
#   works and `view` fails. Do not change an input in place; work on a clone.
# - Autograd and `torch.nn` may be used wherever they do what is asked. In a function that is graded, call
#   only what is defined in its own cell, in another answer cell, or imported below.
#
# B rows of T steps, d numbers for a word, H units, K classes. Text counts steps from 1 to T, code from 0 to
# T - 1.

# %%
import torch
from torch import nn

from course_utils.checks import check, check_answer

# %% [markdown]
# ## 1. A rectangle of rows (3 points)
#
# Some documents are too long. Write `pad_batch`: it cuts every row to at most `longest` numbers, keeping its
# start or its end, and pads *behind* it. The result is as wide as the longest row *after* the cut. The pad is
# a number of your caller's choice, and a row may hold that number, too. So beside the numbers return a
# **mask**: True where a number of the row stands, False at a pad.
#
# By hand: the rows (5, 6, 7), (8) and (), `longest` 2, pad 9, the end is kept.
#
# | ids | mask |
# |---|---|
# | 6, 7 | True, True |
# | 8, 9 | True, False |
# | 9, 9 | False, False |


# %% answer="pad_batch"
def pad_batch(rows, longest, pad, keep):
    """Rows of unequal length as one rectangle and a mask.

    Parameters
    ----------
    rows : list of B lists of whole numbers; at least one of them is not empty.
    longest : int >= 1, the most numbers that may stay of a row.
    pad : int that fills.
    keep : text, "start" or "end", which numbers of a row stay when it is too long.

    Returns
    -------
    ids : (B, T) tensor, T the length of the longest row after the cut.
    mask : (B, T) tensor of truth values, False at the pads.
    """
    ...


# %% check="pad_batch" points=3
check(pad_batch)

# %% [markdown]
# Try it: what is left of three sentences when their start is kept, and when their end is?

# %%
sentences = ["it was not good at all", "good", "we found it very long and in the end good"]
words = sorted({word for sentence in sentences for word in sentence.split()})
rows = [[words.index(word) for word in sentence.split()] for sentence in sentences]
for keep in ("start", "end"):
    ids, mask = pad_batch(rows, 5, 0, keep)
    for row, real in zip(ids, mask, strict=True):
        print(f"{keep:6}", *(words[number] for number in row[real]))

# %% [markdown]
# ## 2. The ends of both directions (3 points)
#
# A unit that reads in both directions gives 2H numbers for each step: the first H come from the forward
# direction, the last H from the backward one. The forward direction has read the whole row at the row's
# *last* real step. And the backward one? Other libraries pad in front, or on both sides; the real steps of a
# row always stand together.
#
# Write `masked_last_state`. It returns two summaries of each row, both (B, 2H): the states of the two
# directions where each has read the whole row, forward half first; and the mean of all 2H numbers over the
# real steps. A row without a real step has zeros in both.
#
# By hand, H = 1 and three steps, the pads in brackets:
#
# | | forward | backward | last | mean |
# |---|---|---|---|---|
# | pads behind | 1, 2, (3) | 6, 5, (4) | 2 and 6 | 1.5 and 5.5 |
# | pads in front | (7), 8, 9 | (10), 20, 30 | 9 and 20 | 8.5 and 25 |


# %% answer="masked_last_state"
def masked_last_state(states, mask):
    """Two summaries of the real steps of each row: its ends, and its mean.

    Parameters
    ----------
    states : (B, T, 2H) tensor, forward half first.
    mask : (B, T) tensor of truth values, True at the real steps; those of a row stand together.

    Returns
    -------
    last : (B, 2H) tensor, each direction where it has read the whole row.
    mean : (B, 2H) tensor, over the real steps.
    """
    ...


# %% check="masked_last_state" points=3
check(masked_last_state)

# %% [markdown]
# Try it: PyTorch packs a batch, pads behind, and returns the last state of both directions itself.

# %%
torch.manual_seed(2)
gru = nn.GRU(3, 4, batch_first=True, bidirectional=True)
x, lengths = torch.randn(3, 5, 3), torch.tensor([5, 2, 3])
packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
states, both = gru(packed)
states, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True)
last, _ = masked_last_state(states.detach(), torch.arange(5) < lengths[:, None])
print(f"largest difference {(last - torch.cat([*both], dim=1)).abs().max():.1e}")

# %% [markdown]
# ## 3. A class, or none (3 points)
#
# Write `classify`, from numbers of words to classes. A plain unit reads the vectors of the words from h = 0,
#
# $$h_t = \tanh(W_{xh} x_t + W_{hh} h_{t-1} + b),$$
#
# and the state after the *row's own* last word gives the scores $W_{hy} h + b_y$. The pads' vector need not
# be 0. A softmax makes probabilities of the scores; the **margin** is the largest of a row less the second
# largest. Where the margin is below `least`, the classifier does not decide, and the class is -1. A row of
# length 0 has h = 0. Scores can be some hundreds large.
#
# By hand, with d = H = 1, K = 3, `least` 0.4: the vectors of the words 0, 1 and 2 are 9, 1 and -1;
# $W_{xh} = \tfrac12 \ln 3$, $W_{hh}$ and b are 0; $W_{hy} = (\ln 36, 0, 0)$ and $b_y = (0, \ln 3, 0)$.
#
# | row, length | state | exponentials of the scores | probabilities | margin | class |
# |---|---|---|---|---|---|
# | 1 (0), length 1 | 0.5 | 6, 3, 1 | 0.6, 0.3, 0.1 | 0.3 | -1 |
# | 1 2, length 2 | -0.5 | 1/6, 3, 1 | 0.04, 0.72, 0.24 | 0.48 | 1 |


# %% answer="classify"
def classify(ids, lengths, vectors, unit, out, least):
    """Read a padded batch and name a class where one is clearly ahead.

    Parameters
    ----------
    ids : (B, T) tensor of whole numbers, padded behind.
    lengths : (B,) tensor of whole numbers from 0 to T, the words of each row.
    vectors : (V, d) tensor, one vector for each word.
    unit : tuple W_xh (H, d), W_hh (H, H), b (H,).
    out : tuple W_hy (K, H), b_y (K,); K >= 2.
    least : float, the least margin of a row that gets a class.

    Returns
    -------
    classes : (B,) tensor of whole numbers, -1 where the margin is below ``least``.
    probabilities : (B, K) tensor.
    margins : (B,) tensor.
    """
    ...


# %% check="classify" points=3
check(classify)

# %% [markdown]
# Try it: one row behind more and more pads. Does any number move?

# %%
generator = torch.Generator().manual_seed(3)
sizes = [(6, 2), (4, 2), (4, 4), (4,), (3, 4), (3,)]
vectors, *unit, W_hy, b_y = [torch.randn(size, generator=generator) for size in sizes]
for pads in (0, 1, 5):
    ids = torch.tensor([[4, 2, 5] + [0] * pads])
    _, probabilities, _ = classify(ids, torch.tensor([3]), vectors, unit, (W_hy, b_y), 0.2)
    print(f"{pads} pads:", probabilities[0].numpy().round(3))

# %% [markdown]
# ## 4. What counts as right (3 points)
#
# Test rows come in batches of unequal size, some rows are only there to fill a batch, and some classes are
# rare. Write `accuracy`, which returns three things about all batches *together*:
#
# - the share of right rows;
# - for each class, the share of right rows among those with its label; -1 for a class without rows;
# - the mean of these shares over the classes that have rows, so that a rare class counts like a frequent one.
#
# A row with a negative label, -1 or any other, does not count at all. A row is right when the score of its
# label is larger than each of the others; with a tie at the top it is wrong.
#
# By hand, K = 3 and two batches:
#
# | batch | scores | label | |
# |---|---|---|---|
# | 1 | 2, 1, 0 | 0 | right |
# | 1 | 1, 3, 0 | 0 | wrong |
# | 1 | 0, 4, 4 | 1 | wrong, a tie |
# | 2 | 1, 5, 2 | 1 | right |
# | 2 | 9, 2, 3 | -1 | does not count |
# | 2 | 7, 1, 1 | 0 | right |
#
# Three of five rows are right, 0.6; two of three of class 0, one of two of class 1, and class 2 has none:
# (0.667, 0.5, -1). The mean over the two classes is 0.583.


# %% answer="accuracy"
def accuracy(batches, K):
    """The share of right rows, of all, of each class, and averaged over the classes.

    Parameters
    ----------
    batches : list of pairs: scores (B, K) and labels (B,), a label below 0 for a row that does not count.
        B differs from batch to batch; at least one row counts.
    K : int, classes.

    Returns
    -------
    overall : number, the share of right rows.
    each : (K,) tensor, the share of each class, -1 for one without rows.
    balanced : number, the mean share over the classes that have rows.
    """
    ...


# %% check="accuracy" points=3
check(accuracy)

# %% [markdown]
# Try it: of 100 rows 95 have the label 0, and a model says 0 to every row. How good does it look?

# %%
labels = torch.tensor([0] * 95 + [1] * 5)
overall, each, balanced = accuracy([(torch.tensor([[1.0, 0.0]] * 100), labels)], 2)
print(
    f"overall {overall:.2f}, each class",
    [round(float(share), 2) for share in each],
    f"balanced {balanced:.2f}",
)

# %% [markdown]
# ## 5. A training (4 points)
#
# Now the model of question 3 learns. Write `train_classifier`. A list of six start weights comes in: vectors,
# $W_{xh}$, $W_{hh}$, b, $W_{hy}$, $b_y$. All six learn. `batches` is a list of tensors with row numbers; go
# through it, in its order, `epochs` times. For each batch:
#
# 1. the loss is the mean of the cross-entropy over the rows of the batch, from the scores at each row's own
#    last word, all from h = 0;
# 2. where the length of its gradient (all six weights together, one long vector) is above `limit`, the whole
#    gradient is scaled to the length `limit`;
# 3. every weight moves by -`rate` times its part of it. No momentum, no Adam.
#
# Without `new` return the six trained weights. With `new`, a pair (ids, lengths) of rows that were not
# trained on, return their classes.
#
# By hand: all six weights are 0, K = 2, one batch of three rows with the labels 1, 1, 0. All probabilities
# are 0.5, and the gradient at $b_y$ is the mean of (0.5, -0.5), (0.5, -0.5) and (-0.5, 0.5), that is
# (1/6, -1/6). All others are 0, for h = 0 and $W_{hy} = 0$. After a step with `rate` 0.6 and a wide limit
# $b_y = (-0.1, 0.1)$.
#
# The last visible check trains for a second or less: word 1 and word 2 stand in every row, which comes
# first? The new rows come in pairs that hold the same words, so a bag of words is right on one half of them.
# At least 90 per cent have to be right.


# %% answer="train_classifier"
def train_classifier(weights, ids, lengths, labels, batches, epochs, rate, limit, new=None):
    """Train a plain unit with its vectors and scores, in plain clipped steps.

    Parameters
    ----------
    weights : list of vectors (V, d), W_xh (H, d), W_hh (H, H), b (H,), W_hy (K, H), b_y (K,).
    ids, lengths, labels : (N, T), (N,) and (N,) tensors of whole numbers; lengths from 1 to T.
    batches : list of tensors of row numbers, in the order of the steps.
    epochs : int >= 1, passes over ``batches``.
    rate : float, size of a step.
    limit : float > 0, the largest length of a gradient.
    new : None, or a pair of ids (M, T) and lengths (M,).

    Returns
    -------
    The six weights after training, or, with ``new``, the classes of its rows, (M,).
    """
    ...


# %% check="train_classifier" points=4
check(train_classifier)

# %% [markdown]
# Try it: is word 3 in the row or not? How does the share of right answers grow with the epochs?

# %%
generator = torch.Generator().manual_seed(5)
ids = torch.randint(1, 7, (120, 5), generator=generator)
labels, lengths = (ids == 3).any(dim=1).long(), torch.full((120,), 5)
sizes = [(7, 3), (8, 3), (8, 8), (8,), (2, 8), (2,)]
weights = [0.5 * torch.randn(size, generator=generator) for size in sizes]
for epochs in (1, 10, 40):
    batches, new = list(torch.arange(80).split(20)), (ids[80:], lengths[80:])
    named = train_classifier(weights, ids, lengths, labels, batches, epochs, 0.5, 1.0, new)
    print(f"{epochs:2} epochs: {(named == labels[80:]).double().mean():.2f} of the new rows right")

# %% [markdown]
# ## 6. A floor of the loss (1 point)
#
# A classifier of <<classes>> classes ends in a softmax, and its *probabilities* are given to `cross_entropy`,
# which takes a softmax of its own. Suppose the model becomes perfectly sure and right on every row. Which
# value does the loss approach? Answer with a number, to three digits after the point.

# %% answer="a_floor_of_the_loss"
a_floor_of_the_loss = ...

# %% check="a_floor_of_the_loss" points=1
check_answer("a_floor_of_the_loss", a_floor_of_the_loss)

# %% [markdown]
# ## 7. The last column of both (1 point)
#
# All rows have the same length, so there are no pads. Somebody reads `states[:, -1]` of a bidirectional GRU.
# What has the *backward* half of that vector read?
#
# - **a** the whole row
# - **b** the last word only
# - **c** nothing: it is the start state
# - **d** the whole row, by way of the forward half
#
# Answer with a letter in quotes. The visible check looks at the form only; whether it is right, and why, is
# said after grading.

# %% answer="the_last_column_of_both"
the_last_column_of_both = ...

# %% check="the_last_column_of_both" points=1
check_answer("the_last_column_of_both", the_last_column_of_both)

# %% [markdown]
# ## 8. Is order worth it? (2 points)
#
# A colleague sorts docstrings into four libraries. He splits them at random, though many are near copies of
# each other, and keeps 400 for the test. He trains a bag of vectors and a GRU, once each, and keeps the GRU's
# weights from the best of twenty epochs, best on the 400. His report:
#
# "The bag has 0.84, the GRU 0.86. Trained and tested on the same documents with their words shuffled, the GRU
# still has 0.855. So the order of words matters for this task, and the recurrence is worth its price."
#
# Say what each of his numbers can and cannot show, and what he should do instead. Answer in the cell below in
# four to eight sentences, with numbers. A person reads and marks this answer.

# %% [markdown] written="order_report" points=2
# One accuracy of 0.86 on 400 documents is off by chance by $1.96 \sqrt{0.86 \cdot 0.14 / 400} = 0.034$ to
# either side, so 0.02, eight documents, may be chance; both models have answered the same documents, so he
# should give an interval of the paired difference. One training each says nothing of other seeds: he needs
# several, five say, of both models, and the interval of their mean. And 0.86 is the best of twenty values,
# chosen on the test documents themselves; the epoch has to be chosen on validation documents, for both.
#
# A random split puts near copies on both sides, so part of the test asks what was learned by heart: groups
# of near copies should go to one side as a whole.
#
# The shuffled run speaks against his conclusion: without any order the GRU keeps 0.855 of 0.86, two
# documents less, far within chance. What it has more than the bag, if anything, hardly comes from order.
# Order would be shown by a task in which the classes hold the same words, where a bag is at chance.
