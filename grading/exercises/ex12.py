# %% [markdown]
# # Exercise 12: Sequence to sequence
#
# Twenty points, about 80 minutes, after lesson 12. The lesson used PyTorch's GRUs, whose weights were
# trained. Here all weights are given, so every answer has one right value, and each part is asked for with
# a change: an encoder that reads backward, a decoder with a limit for each row, a loss that places the
# symbols of begin and end itself, and a beam in which finished answers wait.
#
# | question | points |
# |---|---|
# | 1 `encode` | 3 |
# | 2 `decode_greedy` | 3 |
# | 3 `teacher_forced_loss` | 4 |
# | 4 `exact_match` | 2 |
# | 5 `beam_search` | 4 |
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
# - Inputs are torch tensors, batch first: words are whole numbers (int64), the rest is float32 or float64.
#   Some are not contiguous in memory: there `reshape` works and `view` fails. Do not change an input in
#   place; work on a clone.
# - `torch.nn` may be used wherever it does what is asked. In a function that is graded, call only what is
#   defined in its own cell, in another answer cell, or imported below.
#
# Words are numbers from 0 to V - 1. **0 is a word like any other**: which places of a row are pads, only
# its length says, and in the pads there may stand any word. Both networks are the plain unit of lesson 05,
# fed with the vector of a word, which is its row of the `embedding`:
#
# $$h_t = \tanh(W_{xh}\, e_t + W_{hh}\, h_{t-1} + b)$$
#
# The decoder has a matrix of scores as well; the probabilities of the next word are
# $\operatorname{softmax}(W_{hy} h_t)$. Its five weights come together, as the tuple `decoder`:
# `embedding` (V, E), `W_xh` (H, E), `W_hh` (H, H), `b` (H,), `W_hy` (V, H).

# %%
import torch
from torch import nn

from course_utils.checks import check, check_answer

# %% [markdown]
# ## 1. Read backward (3 points)
#
# Sutskever, Vinyals and Le read the source from its last word to its first. Write `encode`, which does that
# with a padded batch: it starts from zeros, reads each row from its last *real* word to its first word, and
# returns the state after that. A row of length 0 keeps its zeros.
#
# By hand, with E = H = 1: word 1 has the vector $\tfrac12 \ln 3$, word 2 has 0; $W_{xh} = 1$,
# $W_{hh} = 2 \ln 3$, b = 0.
#
# | row | is read | state |
# |---|---|---|
# | 1 2 | 2, then 1 | $\tanh(0) = 0$, then $\tanh(\tfrac12 \ln 3 + 0) = 0.5$ |
# | 2 1 | 1, then 2 | $0.5$, then $\tanh(0 + 2 \ln 3 \cdot 0.5) = 0.8$ |
# | 1 pad | 1 | $0.5$ |


# %% answer="encode"
def encode(source, lengths, embedding, W_xh, W_hh, b):
    """The state after each row was read from its last real word to its first.

    Parameters
    ----------
    source : (B, S) tensor of words, padded at the end; S >= 1.
    lengths : (B,) tensor of whole numbers from 0 to S, the real words of each row.
    embedding : (V, E) tensor, a vector for each word.
    W_xh, W_hh, b : (H, E), (H, H) and (H,) tensors.

    Returns
    -------
    (B, H) tensor.
    """
    ...


# %% check="encode" points=3
check(encode)

# %% [markdown]
# Try it: PyTorch's bidirectional network reads a packed batch from both ends. Is your state its second one?

# %%
torch.manual_seed(1)
source, lengths, vectors = torch.randint(0, 6, (3, 5)), torch.tensor([5, 2, 3]), torch.randn(6, 2)
both = nn.RNN(2, 4, batch_first=True, bidirectional=True)
W_xh, W_hh, b, more_b = (part.detach() for name, part in both.named_parameters() if "reverse" in name)
packed = nn.utils.rnn.pack_padded_sequence(vectors[source], lengths, batch_first=True, enforce_sorted=False)
state = encode(source, lengths, vectors, W_xh, W_hh, b + more_b)
print(f"largest difference {(state - both(packed)[1][1]).abs().max():.1e}")

# %% [markdown]
# ## 2. Greedy, with limits (3 points)
#
# Write `decode_greedy`. Each row starts from its own state h; the decoder is fed the begin symbol first and
# then always the word that it has just said, the likeliest one (of equally likely words the one with the
# smallest number). A row is over when it says the end symbol, or after as many steps as its **limit**
# allows; the step that says the end symbol is one of them. The begin symbol may be said, too; it is then a
# word like any other.
#
# Return two things. `words` has as many columns as the greatest limit; in each row stand the words that it
# said, without the end symbol, and -1 in all places behind. `log_p` is the natural logarithm of the
# probability of all that a row said: the sum over its steps, that of the end symbol included when it came.
#
# By hand, with E = H = 1 and the words 0 = "a", 1 = end, 2 = begin. Their vectors are $-\ln 3$, 2 and 0;
# $W_{xh} = 1$, $W_{hh} = \ln 3$, b = 0, and $W_{hy} = (2 \ln 3, -2 \ln 3, 0)$. At the state 0.5 the scores
# are $\ln 3, -\ln 3, 0$: "a" has $3 / (3 + \tfrac13 + 1) = \tfrac9{13}$ and the end $\tfrac1{13}$. At -0.5
# it is the other way round.
#
# | h | limit | step 1 | step 2 | words | log p |
# |---|---|---|---|---|---|
# | 0.5 | 3 | $\tanh(\tfrac12 \ln 3) = 0.5$: a | $\tanh(-\tfrac12 \ln 3) = -0.5$: end | 0, -1, -1 | -0.735 |
# | -0.5 | 3 | -0.5: end | | -1, -1, -1 | -0.368 |
# | 0.5 | 1 | 0.5: a, broken off | | 0, -1, -1 | -0.368 |
#
# Here $-0.368 = \ln \tfrac9{13}$, and $-0.735$ is twice that.


# %% answer="decode_greedy"
def decode_greedy(h, decoder, begin, end, limits):
    """The likeliest word at each step, until the end symbol or the limit of the row.

    Parameters
    ----------
    h : (B, H) tensor, the states to start from.
    decoder : tuple of embedding (V, E), W_xh (H, E), W_hh (H, H), b (H,) and W_hy (V, H).
    begin, end : whole numbers, the symbols.
    limits : (B,) tensor of whole numbers, at least 1: the most steps that each row takes.

    Returns
    -------
    words : (B, limits.max()) tensor of whole numbers, without end symbols; -1 behind the words of a row.
    log_p : (B,) tensor, the logarithm of the probability of each row.
    """
    ...


# %% check="decode_greedy" points=3
check(decode_greedy)

# %% [markdown]
# Try it: four states, one decoder that nobody has trained, five words, 4 as the end. Who decides how long a
# row becomes?

# %%
torch.manual_seed(127)
decoder = torch.randn(5, 3), torch.randn(4, 3), torch.randn(4, 4), torch.randn(4), torch.randn(5, 4)
words, log_p = decode_greedy(2 * torch.randn(4, 4), decoder, 3, 4, torch.tensor([8, 8, 8, 3]))
for row, value in zip(words.tolist(), log_p.tolist(), strict=True):
    print(row, f"log p {value:.2f}")

# %% [markdown]
# ## 3. The loss with the book open (4 points)
#
# In training the decoder is fed the right words. Write `teacher_forced_loss` for targets that hold *words
# only*: neither the begin symbol nor the end symbol stands in them, and each has its length. A row of
# length n has n + 1 steps. At the first it is fed the begin symbol, at each further one the right word of
# the step before; it should say its n words and then the end symbol.
#
# Return the mean of $-\ln p$ over all steps of all rows, every step counting alike, wherever it stands.
# Pads count nothing. A row of length 0 has one step: it should say the end symbol at once.
#
# By hand, with the decoder of question 2 and two rows that both start from h = 0.5: the target "a", and an
# empty one.
#
# | row | fed | state | should say | $-\ln p$ |
# |---|---|---|---|---|
# | a | begin | 0.5 | a | $-\ln \tfrac9{13} = 0.368$ |
# | | a | -0.5 | end | $-\ln \tfrac9{13} = 0.368$ |
# | empty | begin | 0.5 | end | $-\ln \tfrac1{13} = 2.565$ |
#
# The loss is $(0.368 + 0.368 + 2.565) / 3 = 1.100$.


# %% answer="teacher_forced_loss"
def teacher_forced_loss(h, target, lengths, decoder, begin, end):
    """Mean cross-entropy of a step, in nats, the decoder fed the right words.

    Parameters
    ----------
    h : (B, H) tensor, the states to start from.
    target : (B, T) tensor of words, padded at the end, without symbols of begin and end; T >= 1.
    lengths : (B,) tensor of whole numbers from 0 to T, the real words of each row.
    decoder : tuple of embedding (V, E), W_xh (H, E), W_hh (H, H), b (H,) and W_hy (V, H).
    begin, end : whole numbers, the symbols.

    Returns
    -------
    number; a tensor without axes, as sum() gives it, counts as one.
    """
    ...


# %% check="teacher_forced_loss" points=4
check(teacher_forced_loss)

# %% [markdown]
# Try it: with small weights all seven words are nearly equally likely, so the loss should be near
# $\ln 7 = 1.946$. Do more pads change it?

# %%
torch.manual_seed(3)
decoder = [0.05 * torch.randn(*size) for size in [(7, 3), (4, 3), (4, 4), (4,), (7, 4)]]
target, lengths, h = torch.randint(0, 5, (3, 4)), torch.tensor([4, 1, 2]), torch.randn(3, 4)
for pads in (0, 20):
    padded = nn.functional.pad(target, (0, pads))
    print(f"{pads:2} more pads: loss {float(teacher_forced_loss(h, padded, lengths, decoder, 5, 6)):.6f}")

# %% [markdown]
# ## 4. Right from the first word to the end (2 points)
#
# Some decoders are not stopped: they run for L steps and say something behind their end symbol, too. Write
# `exact_match`: the share of rows that are right. A row is right when the words before its *first* end
# symbol are those of its target, all of them and no others. What stands behind the first end symbol has no
# part. A row without an end symbol was broken off and is wrong, whatever its words are.
#
# By hand: the end is 1, and every row has the target "5 7".
#
# | said | right? |
# |---|---|
# | 5 7 1 1 | yes |
# | 7 5 1 5 | no, the order |
# | 5 1 7 1 | no, it ends too early |
# | 5 7 5 5 | no, it never ends |
# | 5 7 1 5 | yes |
#
# So the answer is 0.4.


# %% answer="exact_match"
def exact_match(said, target, lengths, end):
    """The share of rows that are right in every word and end where they should.

    Parameters
    ----------
    said : (B, L) tensor of words, as a decoder said them that nobody stopped.
    target : (B, T) tensor of words, padded at the end, without end symbols; T and L may differ.
    lengths : (B,) tensor of whole numbers from 0 to T, the real words of each target.
    end : whole number, the end symbol.

    Returns
    -------
    number from 0 to 1.
    """
    ...


# %% check="exact_match" points=2
check(exact_match)

# %% [markdown]
# Try it: a decoder that says each word right with the chance 0.95, whatever it said before. What is the
# share of right rows for targets of 1, 10 and 40 words, and what should it be?

# %%
generator = torch.Generator().manual_seed(4)
for length in (1, 10, 40):
    target = torch.randint(2, 9, (2000, length), generator=generator)
    said = nn.functional.pad(target, (0, 1), value=1)
    said = torch.where(torch.rand(said.shape, generator=generator) < 0.95, said, 9)
    share = exact_match(said, target, torch.full((2000,), length), 1)
    print(f"{length:2} words: {float(share):.3f}, expected {0.95 ** (length + 1):.3f}")

# %% [markdown]
# ## 5. A beam in which finished answers wait (4 points)
#
# In the lesson's search a finished answer leaves the beam and takes its place with it. In another common
# form it stays, and may still be pushed out. Write `beam_search` in that form, for one row:
#
# - The beam begins with one beginning: no words, log p = 0, the state h.
# - At each step the **candidates** are, in the order of the beam: of each finished beginning (one that has
#   said the end symbol) itself, as it is; of each other one its continuations by all V words, the word 0
#   first. A continuation's log p is that of its beginning plus that of its word. The first step feeds the
#   begin symbol, later ones the last word.
# - The `width` candidates of greatest log p are the new beam, the greatest first. Of equal ones the earlier
#   candidate comes first. The length plays no part here.
# - The search is over after `limit` steps, or before, when all beginnings are finished.
# - The **answer** is, among the finished ones, the one of greatest $\log p \,/\, n^{\text{power}}$, where n
#   is the number of its words, the end symbol counted. When none is finished, it is chosen in the same way
#   among all.
#
# Return the words of the answer without the end symbol, and its log p, not divided by anything.
#
# By hand, with width 2, power 0, and a decoder whose next word depends on the last one alone: behind begin
# come a (0.6) and b (0.4); behind a come the end (0.4), a (0.3) and b (0.3); behind b come the end (0.9) and
# a (0.1). (For the checks this is written as weights; what is impossible has a probability of $10^{-9}$.)
#
# | step | candidates | kept |
# |---|---|---|
# | 1 | a 0.6, b 0.4 | a, b |
# | 2 | a end 0.24, a a 0.18, a b 0.18, b end 0.36, b a 0.04 | b end, a end |
#
# Both are finished. The answer is "b", and log p is $\ln 0.36 = -1.022$; greedy would have said "a".


# %% answer="beam_search"
def beam_search(h, decoder, begin, end, width, limit, power):
    """The best answer that a beam finds in which finished answers wait.

    Parameters
    ----------
    h : (H,) tensor, the state to start from.
    decoder : tuple of embedding (V, E), W_xh (H, E), W_hh (H, H), b (H,) and W_hy (V, H).
    begin, end : whole numbers, the symbols.
    width : whole number >= 1, beginnings that are kept.
    limit : whole number >= 1, the most steps.
    power : number, of the length in the last choice.

    Returns
    -------
    words : (n,) tensor of whole numbers or list of them, without the end symbol; n may be 0.
    log_p : number, the logarithm of the answer's probability.
    """
    ...


# %% check="beam_search" points=4
check(beam_search)

# %% [markdown]
# Try it: one state, wider and wider beams. Is a wider beam always likelier? And which of these rows is
# the likeliest of all?

# %%
torch.manual_seed(200)
decoder = torch.randn(5, 3), torch.randn(4, 3), torch.randn(4, 4), torch.randn(4), torch.randn(5, 4)
h = torch.randn(4)
for power in (0.0, 1.0):
    for width in (1, 2, 4, 1000):
        words, log_p = beam_search(h, decoder, 3, 4, width, 5, power)
        print(
            f"power {power:.0f}, width {width:4}: {[int(word) for word in words]}, log p {float(log_p):.2f}"
        )

# %% [markdown]
# ## 6. Rows and words (1 point)
#
# With the right words before it, a decoder is right in <<hundredth>> of 100 of its choices, whatever the
# place in the row and whatever came before; the end symbol is one of the choices. Which share of rows of
# <<count>> words does it get right *in a free run*, from the first word to the end symbol? Answer with a
# number from 0 to 1, to three digits after the point.

# %% answer="rows_right"
rows_right = ...

# %% check="rows_right" points=1
check_answer("rows_right", rows_right)

# %% [markdown]
# ## 7. The forgotten end (1 point)
#
# A translator was trained on targets to which nobody appended the end symbol; the vocabulary has one, and
# the loss is the usual one, softmax and cross-entropy, on all words of the targets. What do its free runs
# look like?
#
# - **a** it stops by itself where the sentence is complete: it has met complete sentences only
# - **b** nothing is right from the first word on
# - **c** the first words may be right, but each row runs on to its limit, and exact match is 0
# - **d** it says the end symbol at once, since that was never wrong
#
# Answer with a letter in quotes. The visible check looks at the form only; whether it is right, and why, is
# said after grading.

# %% answer="no_end_in_training"
no_end_in_training = ...

# %% check="no_end_in_training" points=1
check_answer("no_end_in_training", no_end_in_training)

# %% [markdown]
# ## 8. A report on a translator (2 points)
#
# A colleague has trained a translator of number words, with a state of 32 numbers. Her report:
#
# "Fed the right words, it gets 97 of 100 words right, so it translates 97 of 100 numbers. In free runs only
# 71 of 100 numbers of ten words are right; the exposure gap is therefore 0.26. Of long numbers, with 25
# words, it gets only 5 in 100. There the search is too weak: with a beam of 50 the answers have a larger
# log p than the greedy ones in nearly every row. So I shall use the beam of 50."
#
# What is wrong with her first conclusion, with her gap, and with what she makes of the long numbers and of
# the beam? What should she measure, and what change? Answer in the cell below in five to nine sentences,
# with numbers. A person reads and marks this answer.

# %% [markdown] written="translator_report" points=2
# A number is right only when all of its words and its end are: with 0.97 a choice, ten words and an end
# give $0.97^{11} = 0.72$, so the 0.71 of the free runs is no surprise. It is no gap either: 0.97 is a share
# of words and 0.71 one of rows, and up to the first mistake both ways feed the same words, so *exact match*
# is the same both ways. The gap is behind a first mistake: she should compare the share of right words
# there, fed the right words and fed its own.
#
# For 25 words $0.97^{26} = 0.45$ is to be expected, and 0.05 was found; that would be 0.89 a choice. In
# long numbers each choice is worse, and the likely reason is that 32 numbers have to hold all of the
# source. She should draw exact match against length for H = 32, 64 and 128, count how many long numbers
# were trained on, and then take a larger state, read backward, or use attention.
#
# A larger log p shows that the search works, not that its answers are right: where the model is wrong about
# the likeliest row, a wide beam finds that row more surely, and often a short one. She should compare the
# exact match of widths 1, 2, 8 and 50 on held-out numbers, and report the chosen one on others.
