# %% [markdown]
# # Exercise 11: Language model
#
# Twenty points, about 80 minutes, after lesson 11. The lesson left to PyTorch and to the library what
# stands between documents and a trained model. Here you write it: batches in which every target is a true
# one, the loss with its gradient, a perplexity that compares models with different pieces, the draw of the
# next token, and an epoch in windows.
#
# | question | points |
# |---|---|
# | 1 `make_lm_batch` | 3 |
# | 2 `masked_cross_entropy` | 3 |
# | 3 `perplexity` | 3 |
# | 4 `sample_next` | 3 |
# | 5 `train_epoch` | 4 |
# | 6 and 7, two questions to think about | 1 + 1 |
# | 8, a written answer | 2 |

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
# - Inputs named tensors are torch tensors, batch first, in float32 or float64. Some are not contiguous in
#   memory: there `reshape` works and `view` fails. Do not change an input in place; work on a clone.
# - Autograd and all of `torch` may be used wherever they do what is asked. In a function that is graded,
#   call only what is defined in its own cell, in another answer cell, or imported below.

# %%
import math

import torch
from torch.nn.functional import cross_entropy

from course_utils.checks import check, check_answer

# %% [markdown]
# ## 1. True targets only (3 points)
#
# A batch of documents becomes questions: at each step a token is read, and the target is the token that
# comes next. Write `make_lm_batch`.
#
# - Each document gets the mark of begin in front and the mark of end behind. The mark of begin is never a
#   target, and the mark of end is never read.
# - A row has at most `most` targets; what comes later is left out. A document that is cut *has no end*: the
#   model would learn to stop in the middle.
# - Rows are padded behind, inputs and targets alike, to the longest row of the batch. The pad may be any
#   number, and 0 may be a token.
# - Beside them return how many real targets each row has.
#
# By hand, begin 2, end 3, pad 0 and `most` 4, for the documents (5, 6) and (7, 8, 9, 4):
#
# | | inputs | targets | count |
# |---|---|---|---|
# | first | 2 5 6 0 | 5 6 3 0 | 3 |
# | second | 2 7 8 9 | 7 8 9 4 | 4 |


# %% answer="make_lm_batch"
def make_lm_batch(documents, most, begin, end, pad):
    """Inputs and targets of a batch of documents, cut and padded.

    Parameters
    ----------
    documents : list of B lists of whole numbers, without marks; some may be empty.
    most : whole number, at least 1, the most targets of a row.
    begin, end, pad : whole numbers.

    Returns
    -------
    inputs, targets : (B, T) tensors of whole numbers, T the targets of the longest row.
    counts : (B,) tensor, the real targets of each row.
    """
    ...


# %% check="make_lm_batch" points=3
check(make_lm_batch)

# %% [markdown]
# Try it: padded first and shifted then, as the lesson did, the same batch has inputs that yours has not.
# Which, and do they change the loss?

# %%
inputs, targets, counts = make_lm_batch([[5, 6], [7, 8, 9, 4]], 10, 2, 3, 0)
print(inputs, targets, counts, sep="\n")
whole = torch.tensor([[2, 5, 6, 3, 0, 0], [2, 7, 8, 9, 4, 3]])
print("padded first:", whole[:, :-1], sep="\n")

# %% [markdown]
# ## 2. The loss, and what goes back (3 points)
#
# For scores $s$ of shape (B, T, V) the loss is the mean of $-\ln P(\text{target})$, with P the softmax of
# the scores of a step, over the N targets that are no pads. Write `masked_cross_entropy`, which returns it
# together with its gradient at the scores. For a target $y$ that counts this is
#
# $$\frac{\partial L}{\partial s_v} = \frac{1}{N}\bigl(P(v) - [v = y]\bigr),$$
#
# with $[v = y]$ 1 for the target and 0 for all other tokens; at a pad it is 0. Scores near 1000 and -1000
# have to work, also side by side in one step: there a P is so small that the computer holds a 0, and its
# $-\ln$ is a number all the same. A batch of pads alone has the loss 0 and the gradient 0.
#
# By hand, V = 2 and pads -1, two rows of two steps, with the scores (0, ln 3) at the first step of each and
# the targets (1, 0) and (0, pad). In the first row P is (1/4, 3/4), then (1/2, 1/2); in the second (1/4,
# 3/4). The loss is $(\ln\tfrac43 + \ln 2 + \ln 4)/3 = 0.789$, the gradient (1/4, -1/4)/3, then (-1/2,
# 1/2)/3; in the second row (-3/4, 3/4)/3, then (0, 0).


# %% answer="masked_cross_entropy"
def masked_cross_entropy(scores, targets, pad):
    """Mean of -ln P over the targets that are no pads, and its gradient.

    Parameters
    ----------
    scores : (B, T, V) tensor.
    targets : (B, T) tensor of whole numbers, tokens from 0 to V - 1 or the pad.
    pad : whole number; the places of ``targets`` that hold it do not count.

    Returns
    -------
    loss : number, in nats; 0 when nothing counts.
    gradient : (B, T, V) tensor, of the loss with respect to the scores.
    """
    ...


# %% check="masked_cross_entropy" points=3
check(masked_cross_entropy)

# %% [markdown]
# Try it: your gradient beside autograd's, and its sum over the tokens of each step. Why is that always 0?

# %%
torch.manual_seed(2)
scores, targets = torch.randn(2, 3, 5, requires_grad=True), torch.tensor([[4, 1, 3], [2, 0, 0]])
loss, gradient = masked_cross_entropy(scores.detach(), targets, 0)
theirs = cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=0)
theirs.backward()
print(f"losses {float(loss):.6f} and {theirs.item():.6f}")
print(f"largest difference of the gradients {(gradient - scores.grad).abs().max():.1e}")
print("sums over the tokens:", gradient.sum(dim=2).numpy().round(6).tolist())

# %% [markdown]
# ## 3. Perplexity a token, and a word (3 points)
#
# One model has short pieces and another long ones; a piece is a token of its own size in each. What can be
# compared is the loss of the *same text*, shared out among its words. Write `perplexity`, which takes the
# mean losses of several batches and returns both:
#
# $$\text{a token: } \exp\frac{\text{all nats}}{\text{all tokens}}, \qquad
# \text{a word: } \exp\frac{\text{all nats}}{\text{all words}}$$
#
# Some programs report losses in bits, the logarithm to base 2: the base is given, and a loss times $\ln$ of
# its base is in nats. The result is infinite where the exponent is above 20.
#
# By hand, to base 2: mean losses of 1 and 3 bits over 300 and 100 tokens, 200 and 50 words. All together
# 600 bits: 1.5 bits a token and 2.4 bits a word, perplexities $2^{1.5} = 2.83$ and $2^{2.4} = 5.28$.


# %% answer="perplexity"
def perplexity(losses, tokens, words, base):
    """Perplexity a token and a word over several batches.

    Parameters
    ----------
    losses : (N,) tensor, the mean loss a token of each batch, as logarithms to the base.
    tokens, words : (N,) tensors of whole numbers above 0, the tokens and the words of each batch.
    base : number above 1, e.g. 2 for bits, e for nats.

    Returns
    -------
    two numbers, a token and a word; infinite where the mean is above 20 nats.
    """
    ...


# %% check="perplexity" points=3
check(perplexity)

# %% [markdown]
# Try it: one text of 1000 words, for one model 1300 pieces at 3.4 nats, for the other 4800 letters at 1.0.
# Which model is better? And the text in one batch or in two: does it matter?

# %%
words = torch.tensor([1000])
for name, loss, tokens in [("pieces", 3.4, 1300), ("letters", 1.0, 4800)]:
    a_token, a_word = perplexity(torch.tensor([loss]), torch.tensor([tokens]), words, math.e)
    print(f"{name}: {float(a_token):.1f} a token, {float(a_word):.1f} a word")
print(perplexity(torch.tensor([2.95, 3.6]), torch.tensor([400, 900]), torch.tensor([300, 700]), math.e))

# %% [markdown]
# ## 4. The next token (3 points)
#
# Write `sample_next` for a batch of scores, with the lesson's three rules **in this order**:
#
# 1. divide the scores by the temperature; at temperature 0 all probability goes to the likeliest token;
# 2. keep the k likeliest tokens, and raise their shares to sum to 1;
# 3. of these keep the fewest likeliest that hold at least `mass`, and raise again.
#
# Of tokens with equal scores the one with the lower number counts as the likelier. Then draw: a number $u$
# from 0 to 1 is given for each row, and the token is the first, *in the order of the numbers 0, 1, 2, ...*,
# up to which the shares sum to more than $u$. So the draw can be checked, and a token without a share is
# never drawn, not even for $u = 0$. Return the tokens and the shares.
#
# By hand, scores (0, 2 ln 2, ln 2, 0), temperature 1/2, k = 3, mass 0.9. Divided: (0, 4 ln 2, 2 ln 2, 0),
# as 1 : 16 : 4 : 1. The three likeliest are tokens 1, 2 and 0 (3 is equal to 0, and higher): 16/21, 4/21,
# 1/21. Tokens 1 and 2 hold 0.952, and 1 alone 0.762, too little: both stay, with the shares 0.8 and 0.2.
# For u = 0.6 token 1 is drawn, for u = 0.85 token 2.


# %% answer="sample_next"
def sample_next(scores, u, temperature, k, mass):
    """The next token of each row: temperature, then the k likeliest, then the nucleus, then the draw.

    Parameters
    ----------
    scores : (B, V) tensor.
    u : (B,) tensor of numbers, at least 0 and below 1.
    temperature : number, 0 or above.
    k : whole number from 1 to V; V keeps all.
    mass : number above 0 and at most 1; 1 keeps all.

    Returns
    -------
    tokens : (B,) tensor of whole numbers.
    shares : (B, V) tensor, the probabilities that were drawn from; each row sums to 1.
    """
    ...


# %% check="sample_next" points=3
check(sample_next)

# %% [markdown]
# Try it: a thousand draws at three temperatures. Do they come as often as the shares say?

# %%
torch.manual_seed(4)
scores = torch.tensor([2.0, 1.5, 1.0, 0.0, -1.0]).expand(1000, 5)
for temperature in (0.5, 1.0, 2.0):
    tokens, shares = sample_next(scores, torch.rand(1000), temperature, 4, 0.9)
    counts = torch.bincount(torch.as_tensor(tokens), minlength=5) / 1000
    print(f"temperature {temperature}: shares", shares[0].numpy().round(2), "drawn", counts.numpy().round(2))

# %% [markdown]
# ## 5. An epoch in windows (4 points)
#
# Documents come in **groups**: (B, N) inputs and targets, padded with 0 behind, and no token is 0. A group
# is read in windows of T steps, the last of which may be shorter; every window is one update. Write
# `train_epoch` for a plain unit: $x_t$ is a row of E, $h_t = \tanh(W_{xh} x_t + W_{hh} h_{t-1} + b)$, and
# the scores are $W_{hy} h_t + b_y$. For each window:
#
# 1. the first window of a group begins at the state 0, any other one at the last state of the window
#    before. That state is a number here: its history is cut, and it is not computed again with the new
#    weights;
# 2. the loss is the mean over the window's targets that are no pads (there is always one);
# 3. the gradients of all six weights, taken as one vector, are shortened to `limit` where they are longer;
# 4. each weight moves by -`rate` times its gradient.
#
# Return the six new weights and the **mean loss a target** of the epoch, each loss as it was when its
# window was met. One more use: with `rows`, a tensor of inputs without pads, return in place of that the
# likeliest next token after each row, by the trained weights, read from the state 0. Some checks train on a
# made-up language this way and count how many of the next tokens are right.
#
# By hand, V = 2, T = 1, rate and limit 1, all weights 0, one group of one row with the inputs (1, 1) and
# the targets (1, 1). All states are 0, so only $b_y$ has a gradient. First window: P = (1/2, 1/2), the loss
# ln 2, the gradient (1/2, -1/2) with the length 0.71, so $b_y$ becomes (-1/2, 1/2). Second: P(1) =
# $\sigma(1)$ = 0.731, the loss 0.313, the gradient (0.269, -0.269), and $b_y$ = (-0.769, 0.769). Mean loss
# 0.503.


# %% answer="train_epoch"
def train_epoch(groups, T, weights, rate, limit, rows=None):
    """One pass over groups of documents, in windows of T steps, by plain gradient descent with clipping.

    Parameters
    ----------
    groups : list of pairs (inputs, targets), (B, N) tensors of whole numbers, 0 for pads; B and N differ.
    T : whole number, steps of a window.
    weights : list of tensors E (V, d), W_xh (H, d), W_hh (H, H), b (H,), W_hy (V, H), b_y (V,).
    rate, limit : numbers, the step size and the longest gradient.
    rows : (R, L) tensor of whole numbers, or None.

    Returns
    -------
    Without rows the six new weights and the mean loss, seven values in one tuple; with rows (R,) tokens.
    """
    ...


# %% check="train_epoch" points=4
check(train_epoch)

# %% [markdown]
# Try it: rows that go round four letters, one step or two at a time, learned in 200 updates. What is the
# mean loss of the first twenty groups, of the last twenty? What could it be at best, if the first target of
# a row can only be guessed?

# %%
torch.manual_seed(5)
first, step = torch.randint(4, (1600, 1)), torch.randint(1, 3, (1600, 1))
text = (first + step * torch.arange(7)) % 4 + 1
groups = [(part[:, :-1], part[:, 1:]) for part in text.split(8)]
weights = [0.5 * torch.randn(size) for size in [(5, 8), (12, 8), (12, 12), (12,), (5, 12), (5,)]]
for some in (groups[:20], groups[20:180], groups[180:]):
    *weights, loss = train_epoch(some, 3, weights, 1.0, 1.0)
    print(f"{len(some):3} groups: mean loss {loss:.2f}")

# %% [markdown]
# ## 6. One rare token (1 point)
#
# A model gives 99 of 100 tokens the probability 1/10, and one of them $10^{-<<power>>}$. What is its
# perplexity on these 100 tokens? Answer with a number, to one digit after the point.

# %% answer="one_rare_token"
one_rare_token = ...

# %% check="one_rare_token" points=1
check_answer("one_rare_token", one_rare_token)

# %% [markdown]
# ## 7. A cooler nucleus (1 point)
#
# You draw as in question 4, with k = 40 and a mass of 0.9, and lower the temperature from 1 to 0.5. How
# does the number of tokens that can be drawn change, for scores of whatever values?
#
# - **a** it falls or stays
# - **b** it grows or stays
# - **c** it stays: the temperature keeps the order of the tokens, so the same are kept
# - **d** it falls for some scores and grows for others
#
# Answer with a letter in quotes. The visible check looks at the form only; whether it is right, and why, is
# said after grading.

# %% answer="cooler_nucleus"
cooler_nucleus = ...

# %% check="cooler_nucleus" points=1
check_answer("cooler_nucleus", cooler_nucleus)

# %% [markdown]
# ## 8. Pieces or words? (2 points)
#
# A colleague trains two models on the same documents. A has 2000 pieces of words, 1.4 to a word. B has
# whole words; those that came but once are replaced by `<unk>`, in the held-out text as well, where 8 % of
# the words are `<unk>` and B gives each of these the probability 1/2 when it comes. Her report:
#
# "I averaged the perplexities of the batches of held-out text, 50 for A and 90 for B. So pieces are better
# than words, by 40."
#
# What is wrong with her comparison? What do the two numbers say when you bring them to one unit, what is
# missing then, and how should she compare? Answer in the cell below in five to nine sentences, with
# numbers. A person reads and marks this answer.

# %% [markdown] written="pieces_or_words" points=2
# 50 is a perplexity a piece, 90 one a word. In one unit A pays $1.4 \ln 50 = 5.48$ nats a word, a
# perplexity of 239, and B $\ln 90 = 4.50$: now B seems ahead.
#
# But B never has to say *which* rare word came: for 8 % of the words it pays $\ln 2 = 0.69$ nats, so the
# others carry $(4.50 - 0.08 \cdot 0.69)/0.92 = 4.83$, a perplexity of 125. Asked the same, B would have to
# spell these words as well; at three pieces of $\ln 50$ each that is 0.94 nats a word more, a perplexity of
# 230, and hardly a difference is left.
#
# Besides, a mean of the batches' perplexities is too high and depends on the batches; it should be exp of
# all nats over all tokens. So the report shows nothing yet. She should compare nats a word, or a letter, on
# the same text, each model paying for every word in full, or on those words alone that both can write.
