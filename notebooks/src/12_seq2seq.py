# %% [markdown]
# # 12 Sequence to sequence
#
# **What fits through one vector?**
#
# After this lesson you can
#
# - build a network that reads a row of words and writes another one, of any length, and stops by itself;
# - say what the decoder is fed in training, in a test and in a beam search, and what each choice costs;
# - measure what one state carries, against its size and the length of the row, and say what attention
#   changes.
#
# 100 minutes; a good place for a break is before *How much fits through*. You need the GRU of lesson 09,
# padding (lesson 05), the factor a step (lesson 07), cross-entropy (lesson 10) and the shift by one (lesson
# 11).

# %% id="imports"
import math  # noqa: F401 (functions that are shown below use it, and some of what follows)
from functools import partial

import numpy as np
import torch

from course_utils import exposure, pairs, plots, seq2seq, widgets_seq2seq
from course_utils.beam import Answer, beam_search, chain, normalised, probability  # noqa: F401
from course_utils.checks import claim, concept_check
from course_utils.intervals import wilson
from course_utils.records import runs
from course_utils.seq2seq import (
    Seq2Seq,
    final_state,
    free_run,
    likeliest,  # noqa: F401
    next_scores,
    right_rows,
)
from course_utils.tokens import BEGIN, END, PAD

# %% id="settings"
torch.set_num_threads(1)  # the products are too small to share
torch.set_grad_enabled(False)  # switched on where a model trains
rng = torch.Generator().manual_seed(12)

# %% [markdown]
# ## A loop that stops itself
#
# A classifier answers once, a language model once for each word. A translation has a length of its own:
# *ninety-one* is *quatre-vingt-onze*. How many steps does the loop make? The loop itself decides, by saying
# a word that means "I am done": the **end symbol**.
#
# The smallest such loop has a state of one number and no weights. It counts down:


# %% id="countdown"
def tick(h):
    """A decoder of one number: it says "tick" and takes 1 off its state; below one half it ends."""
    said = []
    while h > 0.5:
        said, h = [*said, "tick"], h - 1
    return " ".join([*said, "<eos>"])


print("from 3:", tick(3))

# %% [markdown]
# **Predict.** What does it say from a state of 0? Let a second loop read a row of words and add 1 to the
# state at each: what does `tick` say after four words? And if the second loop adds 2?

# %% id="count-up"
row = ["we", "read", "four", "words"]
print("from 0:                ", tick(0))
print("after four words, 1 each:", tick(sum(1 for word in row)))
print("after four words, 2 each:", tick(sum(2 for word in row)))

# %% [markdown]
# So there are two loops. The first, the **encoder**, reads to the end of its row. The second, the
# **decoder**, writes until it says the end symbol. *All* that passes from one to the other is the state
# between them: here one number, from now on $H$ numbers. Nothing ties the two lengths together.
#
# ## The two halves
#
# `Seq2Seq` has a GRU that reads and another one that writes (PyTorch's form, lesson 09), with weights of
# their own, an embedding for each language, and a linear layer that gives the scores. The encoder hands
# over the state at the last *real* word, as in lesson 05.

# %% shows="course_utils.seq2seq.final_state" id="final-state"

# %% [markdown]
# At each step the decoder is fed a word and a state and gives scores for the next word.

# %% shows="course_utils.seq2seq.next_scores" id="next-scores"

# %% [markdown]
# Which word is it fed? The one it has just said; at the first step a word that only means "begin", `<bos>`.
# This is a **free run**. A batch goes on until its last row has ended; rows that ended before are filled
# with pads.

# %% shows="course_utils.seq2seq.free_run" id="free-run"

# %% [markdown]
# **Predict.** This model is untrained. Will it ever stop? Does what it says depend on the row it read? Do
# pads behind a row matter?

# %% id="untrained"
fresh = Seq2Seq(V_in=40, V_out=40, H=16, seed=3)
source, lengths = torch.randint(4, 40, (5, 9), generator=rng), torch.tensor([9, 4, 7, 1, 5])
h = final_state(fresh, source, lengths)
said = free_run(fresh, h, longest=50)
print("words until the loop was broken off:", said.shape[1], "; end symbols said:", int((said == END).sum()))
print("rows that differ:", len(said.unique(dim=0)), "; from word 4 on:", said[:, 3:].unique().tolist())
more = torch.cat([source, torch.zeros(5, 3, dtype=torch.int64)], dim=1)  # three more pads
assert torch.equal(final_state(fresh, more, lengths), h)
alone = final_state(fresh, source[1:2, :4], lengths[1:2])
assert torch.allclose(alone, h[1:2], atol=1e-6)

# %% [markdown]
# It does not stop: nothing makes the end symbol likely. So a loop that stops itself needs a limit as well,
# `longest`. The row that was read changes the first words only; then all repeat one and the same word. Pads
# change nothing, for the state is read before them.
#
# ## Numbers in two languages
#
# The network reads English number words and writes French ones. There are few words but many rules (71 is
# *soixante et onze*, 80 *quatre-vingts*, 81 *quatre-vingt-un*). We take all numbers below 10,000 and hold
# out a tenth of them, chosen by a hash of the number.

# %% id="number-data"
found = pairs.number_pairs(range(10_000))
train_pairs, test_pairs = pairs.split_pairs(found)
english, french = pairs.vocabularies(train_pairs)
train_rows, test_rows = (
    seq2seq.padded(*pairs.encode_pairs(side, english, french)) for side in (train_pairs, test_pairs)
)
print(len(train_pairs), "for training,", len(test_pairs), "held out;", len(english), len(french), "words")
for pair in (found[71], found[80], found[4281]):
    print(" ".join(pair.source), " ->", " ".join(pair.target))

# %% [markdown]
# In training the decoder is fed the **right** word at every step, whatever it would have said itself:
# *teacher forcing*. The target is shifted by one, as in lesson 11: fed `<bos> vingt et un`, it is to say
# `vingt et un <eos>`. All inputs are known before the loop begins, so PyTorch runs it in one call.

# %% shows="course_utils.seq2seq.open_book" id="open-book"

# %% [markdown]
# The loss is the mean cross-entropy per word, the end symbol included and pads left out. We train with a
# state of 128 numbers, on 600 batches of 64.
#
# **Predict.** The network sees each number about four times. Which share of the *held-out* numbers is
# right in every word: a half, nine tenths, nearly all? (*Exact match* counts a row only when all of it is
# right.)

# %% id="train-wide" tags=["nbval-ignore-output"]
wide = Seq2Seq(len(english), len(french), H=128, seed=0)
with torch.enable_grad():
    losses = seq2seq.train(wide, seq2seq.draw_from(train_rows), updates=600, rate=3e-3)
right = seq2seq.right_by_row(wide, test_rows)
print(
    f"loss {losses[0]:.2f} to {losses[-1]:.3f}; exact match on held-out numbers {right.double().mean():.3f}"
)
wrong = [" ".join(pair.target) for pair, hit in zip(test_pairs, right, strict=True) if not hit]
print("wrong:", "; ".join(wrong[:6]))
assert right.double().mean() > 0.95

# %% [markdown]
# <details><summary>What to see</summary>
#
# Above 0.95, usually above 0.98, on numbers that it has never met: it has learned some seventy words and
# their order, not ten thousand pairs. Most wrong answers are to short rows: one number in a hundred is
# below 100, so the training hardly met any.
#
# </details>
#
# How long are the answers? Counted in words, the end symbol left out:

# %% id="answer-lengths" tags=["nbval-ignore-output"]
state = final_state(wide, test_rows.source, test_rows.lengths)
said = free_run(wide, state, longest=60)
spoken = (said == END).int().argmax(dim=1)  # words before the end symbol
for name, words in [("read", test_rows.lengths), ("said", spoken)]:
    print(f"{name}: {words.min()} to {words.max()} words")
more = spoken - test_rows.lengths
print(f"an answer against its source: from {-more.min()} words fewer to {more.max()} more")

# %% id="lengths-claim"
stopped = said.shape[1] < 60 and bool(((said == END).sum(dim=1) == 1).all())
behind = torch.arange(said.shape[1]) > spoken[:, None]
silent = bool((said[behind] == 0).all())
claim("seq2seq.independent_lengths", [stopped, silent, bool(more.max() > 0), bool(more.min() < 0)])

# %% [markdown]
# ## Word by word
#
# The decoder gives a probability to every word at every step. Here is one answer with the word that came
# second:


# %% id="read-number"
def read(number):
    """A number's English words, as a text and as what the encoder reads."""
    words = found[number].source
    return " ".join(words).replace(" - ", "-").replace(" ,", ","), english.encode(words)


def beside(model, number):
    """What is said, its probabilities, and the second best word of each step with its own."""
    words = torch.tensor([read(number)[1]])
    h = final_state(model, words, torch.tensor([words.shape[1]]))
    said = free_run(model, h, longest=20)
    fed = torch.cat([torch.tensor([[BEGIN]]), said], dim=1)
    chances = torch.softmax(seq2seq.open_book(model, h, fed)[0], dim=1)  # (T, V)
    p, best = chances.topk(2, dim=1)
    return french.decode(best[:, 0]), p[:, 0], french.decode(best[:, 1]), p[:, 1]


# %% id="answer-figure" tags=["nbval-ignore-output"]
ax = plots.answer(*beside(wide, 4281))
plots.show(ax, "The answer to 4281: each word with its probability, and the word that came second.")

# %% [markdown]
# Now any number. (Needs a running kernel; the figure above shows one.)
#
# **Predict, then move.** Where in an answer is the network least sure: at the thousands, in the middle, at
# the last digit? What comes second there? What does it say to 0, and to 80 and 81? The beam width comes
# below; leave it at 1.

# %% id="translation-dial" tags=["nbval-ignore-output"]
widgets_seq2seq.translation_dial(wide, read, french, number=4281)

# %% [markdown]
# <details><summary>What we saw</summary>
#
# Mostly near the end: at the last digit, where the second best is a neighbouring digit. The last digit has
# to survive in the state while all the others are said.
#
# 0 becomes *sept* (0.05) and 80 *quatre-vingt-sept* (0.40); 81 is right (0.72). So short a row is seldom in
# training: `zero` came six times in the 38,400 rows drawn.
#
# </details>
#
# ## From nothing it dreams
#
# What does the decoder say without an encoder, from $h_0 = 0$?
#
# **Predict.** Nothing, nonsense, or French? And does it say the same when the encoder has read something
# else?

# %% id="dream" tags=["nbval-ignore-output"]
zeros = torch.zeros(6, 128)
print("greedy:", " ".join(french.decode(free_run(wide, zeros, 20)[0])))
choose = partial(seq2seq.drawn, generator=torch.Generator().manual_seed(1))
for row in free_run(wide, zeros, 20, choose):
    print("drawn: ", " ".join(french.decode(row)))
dreams = free_run(wide, torch.zeros(1000, 128), 20, choose)
mille = french.encode(["mille"])[0]
for name, rows in [("1000 drawn", dreams), ("training", train_rows.target)]:
    print(f"{name}: {(rows == mille).any(dim=1).double().mean():.2f} have the word mille")

# %% [markdown]
# French, mostly: the decoder alone is a *language model* of number words (lesson 11). Drawn word by word it
# says another number each time; greedily, always the same one. But it never started from 0 in training, so
# its numbers are not like the training numbers: nine of ten of those have four digits, and so the word
# *mille*, and only one in eight of the drawn ones. From an encoder's state it answers:

# %% id="zero-answers" tags=["nbval-ignore-output"]
from_zero = free_run(wide, torch.zeros_like(state), 60)
different = [len(rows.unique(dim=0)) for rows in (from_zero, said)]
print(f"different answers to {len(said)} numbers: {different[0]} from 0, {different[1]} from their states")

# %% id="zero-claim"
claim("seq2seq.h0_zero", [different[0] == 1, different[1] > 0.9 * len(said)])

# %% [markdown]
# **Check yourself.** Somebody reports a translator that writes fluent sentences, and on every input nearly
# the same ones. Where do you look first?
#
# - **a** at the decoder: it has not learned the language
# - **b** at what goes from the encoder into the decoder
# - **c** at the end symbol

# %% id="concept-dream"
concept_check("12.dream", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. Fluency comes from the decoder alone; only the state says *which* sentence.
#
# </details>
#
# ## Open book, closed book
#
# In training the decoder is fed the right words, in a test its own. It has never met its own mistakes. To
# see what that does we need a network that makes some: one with a state of 32 numbers.

# %% id="train-narrow" tags=["nbval-ignore-output"]
narrow = Seq2Seq(len(english), len(french), H=32, seed=0)
with torch.enable_grad():
    seq2seq.train(narrow, seq2seq.draw_from(train_rows), updates=500, rate=1e-2)
print(f"exact match {seq2seq.right_by_row(narrow, test_rows).double().mean():.2f}")

# %% [markdown]
# We test it both ways: fed the right words (open book) and fed its own (closed book).
#
# **Predict.** By how much does *exact match* differ between the two? And the share of *words* that are
# right?

# %% id="exposure" tags=["nbval-ignore-output"]
opened, free, real = exposure.right_words(narrow, test_rows)
rows_right = [(hits | ~real).all(dim=1) for hits in (opened, free)]
print("rows right: ", *(f"{hits.double().mean():.3f}" for hits in rows_right))
print("words right:", *(f"{hits[real].double().mean():.3f}" for hits in (opened, free)))
assert torch.equal(*rows_right)
assert opened[real].double().mean() > free[real].double().mean() + 0.02

# %% [markdown]
# Exact match does not differ in a single row. **Up to its first mistake a free run is fed the right
# words**, for its own are right; so both ways make the same first mistake, and with it the row is wrong.
# The gap is behind the mistake. There a free run goes on from a wrong word, as the network never did in
# training.
#
# The same, recorded for three seeds (`runs` reads it from `data/`; 32 numbers, 500 updates), with the words
# behind a mistake also counted apart.
#
# **Predict.** Behind a first mistake, what share of words is right with the book open, and what with its
# own words?

# %% id="gap-figure"
by_seed = {
    keep: np.array([run["exposure"] for run in runs("seq2seq", task="short numbers", keep=keep)])
    for keep in (1.0, 0.5)
}
seen = by_seed[1.0]  # (seeds, 6)
groups = {"all words": (seen[:, 0], seen[:, 1]), "behind a\nfirst mistake": (seen[:, 2], seen[:, 3])}
plots.show(
    plots.two_feeds(groups),
    "Words right with the right words before them and with its own; a mark is a seed.",
)
assert (seen[:, 3] < seen[:, 2] - 0.1).all()

# %% [markdown]
# Behind a mistake, with the book open, a word is right in 94 to 99 cases of 100, as if nothing had
# happened. Fed its own words, the network is right in about half.
#
# This is the **exposure gap**. Part of it cannot be avoided: a word too many shifts all that follow. A loss
# or an accuracy measured with the book open hides it all. Report free runs.
#
# A remedy: in training, too, feed the network its own choice now and then. At every step of every row a
# coin decides. (In *scheduled sampling* the right word becomes rarer over time; our coin is fair
# throughout.)

# %% shows="course_utils.seq2seq.by_coin" id="by-coin"

# %% [markdown]
# **Predict.** Half of the words fed in training are the network's own now. What do the words behind a
# mistake gain? And exact match?

# %% id="coin"
for keep, name in [(1.0, "always the right word"), (0.5, "by a fair coin")]:
    seen, found_runs = by_seed[keep], runs("seq2seq", task="short numbers", keep=keep)
    exact = [sum(run["right"]) / sum(run["of"]) for run in found_runs]
    print(f"{name:22}", "exact", *(f"{value:.2f}" for value in exact), end="; ")
    print("words, own:", *(f"{value:.2f}" for value in seen[:, 1]), end="; ")
    print("behind a mistake, own:", *(f"{value:.2f}" for value in seen[:, 3]))
book, coin = by_seed[1.0], by_seed[0.5]
assert (coin[:, 3] > book[:, 3] + 0.1).all()

# %% [markdown]
# The words behind a mistake gain in every seed: the network has met its own mistakes and can go on after
# them. Exact match shows no such gain; it differs more between seeds than between the two ways. **Up to the
# first mistake** the coin has nothing to mend.
#
# Two costs. The steps no longer run in one call, since each may need the word before. And after a word too
# many, the target of this step is no longer the right word to go on with.
#
# ## Greedy is not the likeliest
#
# The decoder gives a probability to a whole row, the product over its words. **Greedy** decoding takes the
# likeliest word at each step. Does that give the likeliest row? Here is a decoder without a state, with its
# probabilities written down:

# %% id="greedy-beaten"
step, letters = chain(
    {
        "<bos>": {"a": 0.6, "b": 0.4},
        "a": {"c": 0.35, "d": 0.35, "<eos>": 0.3},
        "b": {"<eos>": 0.9, "c": 0.1},
    }
)

# %% [markdown]
# (After c and d it ends.) **Predict.** What does the greedy choice say, with which probability? Which row
# is the likeliest? What decides between c and d?
#
# **Beam search** keeps not one beginning but the `width` likeliest, extends each by every word, and keeps
# the `width` likeliest again. A beginning that ends is set aside, and its place in the beam stays empty.

# %% shows="course_utils.beam.beam_search" id="beam-source"


# %% id="greedy-beaten-result"
def show_beams(step, letters, widths):
    """The best answer for each width of the beam."""
    for width in widths:
        best = beam_search(step, torch.zeros(1), width, longest=6)[0]
        print(f"width {width:2}: {' '.join(letters.decode(best.words)):8} {probability(best):.3f}")


show_beams(step, letters, [1, 2])

# %% [markdown]
# Greedy takes a, for 0.6, and cannot know that after b the end is nearly certain. Width 2 finds it. Between
# c and d there is a tie: **a rule has to decide** (ours: the smaller number), or two machines give two
# answers.
#
# So is a wider beam better? In the next decoder c, g and h are followed by nine words with equal
# probabilities, and d, e and f by the end:

# %% id="beam-beaten"
spread = {word: 1 / 9 for word in [*"abcdefgh", "<eos>"]}
step, letters = chain(
    {
        "<bos>": {"a": 0.4, "b": 0.35, "c": 0.25},
        "a": {"d": 0.34, "e": 0.33, "f": 0.33},
        "b": {"g": 0.5, "h": 0.5},
        **dict.fromkeys("cgh", spread),
    }
)

# %% [markdown]
# **Predict.** Which two beginnings does width 2 keep after two words, and which row does it end with?

# %% id="beam-beaten-result"
show_beams(step, letters, [1, 2, 3, 30])

# %% [markdown]
# Width 2 finds a row that is *seven times less likely* than the greedy one. After two words it holds "b g"
# and "b h", 0.175 each; "a d" (0.136) is out, though it would have ended with certainty. Only a beam that
# holds all beginnings (30 here) is sure to find the likeliest row.
#
# ## The likeliest row
#
# **Predict.** Of all French numbers, what kind is the likeliest from $h_0 = 0$?

# %% id="short" tags=["nbval-ignore-output"]
decoder = partial(next_scores, wide)
for best in beam_search(decoder, torch.zeros(128), width=30, longest=20)[:4]:
    print(f"{probability(best):.3f}", " ".join(french.decode(best.words)))
print(f"a row drawn has {(dreams != PAD).sum(dim=1).double().mean():.1f} words on average, <eos> too")

# %% [markdown]
# One word: every further word multiplies by a number below 1. (In training every number was equally
# frequent; from 0, where it never started, the decoder prefers short ones.) The likeliest row is not
# typical: what is drawn is longer on average, as the texts in lesson 11 were.
#
# So translators often rank rows by $\ln p / \text{length}^{\text{power}}$; with power 1 that is the mean
# per word. It helps where short wrong answers win. **Predict.** Does it help here, for 300 held-out numbers
# and both networks?

# %% id="beam-table" tags=["nbval-ignore-output"]
few = [row[row > BEGIN].tolist() for row in test_rows.target[:300]]
for name, model in [("H = 128", wide), ("H = 32", narrow)]:
    states = final_state(model, test_rows.source[:300], test_rows.lengths[:300])
    for width in (1, 2, 8):
        beams = [beam_search(partial(next_scores, model), h, width, longest=20) for h in states]
        for power in (0.0, 1.0)[: 1 + (width > 1)]:
            best = [max(beam, key=lambda answer: normalised(answer, power)) for beam in beams]
            right = np.mean([list(answer.words) == row for answer, row in zip(best, few, strict=True)])
            long = np.mean([len(answer.words) > len(row) for answer, row in zip(best, few, strict=True)])
            print(f"{name:7}  width {width}  power {power:.0f}:  right {right:.2f}  too long {long:.2f}")

# %% [markdown]
# <details><summary>What we saw</summary>
#
# A beam of two gains next to nothing where the network is good and some rows where it is not; eight
# beginnings gain no more. Dividing by the length does *not* help: it favours long answers, and those of H =
# 32 are too long already. The power has to be chosen on validation data.
#
# </details>
#
# **Predict, then move.** In the dial above: which numbers change their answer at width 4? How far behind
# are its rivals, on the right?
#
# <details><summary>What we saw</summary>
#
# Hardly any. For 4281 the best has 0.84 and its first rival 0.04. An answer changes where the network is
# unsure, which is at short numbers: 4 and 64 become right, 1 stays wrong, and 0 becomes the empty row, which
# is likelier (0.08) than *sept* (0.05).
#
# </details>
#
# **Check yourself.** A beam of width 8 finds a row of larger probability than width 1, and it is wrong; the
# greedy one was right. What follows?
#
# - **a** the search has a fault
# - **b** the model is wrong about which row is the likeliest
# - **c** the beam is too narrow

# %% id="concept-beam"
concept_check("12.beam", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. The search found what it looks for, a likelier row.
#
# </details>
#
# ## How much fits through
#
# All that the decoder knows of the row is in $H$ numbers. Two tasks were recorded: *copying* (write what
# was read, eight symbols, rows of 1 to 10, 700 updates) and number words of up to five digits (500
# updates).
#
# **Predict.** Sketch exact match against the length of the row, for copying with H = 16, 32, 64. Where does
# each fall? What happens beyond the longest row of the training? And do number words behave in the same
# way?


# %% id="bottleneck"
def table(task, H, least=20, **more):
    """Lengths of the source, and the share right of each seed: (N,) and (seeds, N)."""
    found = runs("seq2seq", task=task, H=H, **({"backward": False} | more))
    of = np.array(found[0]["of"])
    shares = np.array([np.array(run["right"]) / of for run in found])
    return np.array(found[0]["lengths"])[of >= least], shares[:, of >= least]


copied = {H: table("copy", H) for H in (16, 32, 64)}
worded = {H: table("numbers", H) for H in (32, 64, 128)}

# %% id="bottleneck-figure"
left, right_panel = plots.panels(2)
look = {H: place for place, H in enumerate([16, 32, 64, 128])}  # a size looks the same in both panels
for ax, found_by_size, across, more in [
    (left, copied, "symbols to copy", {"trained": 10, "corner": "lower left"}),
    (right_panel, worded, "words of the number", {"corner": "center right"}),
]:
    names = [f"H = {H}" for H in found_by_size]
    shares = [shares for _, shares in found_by_size.values()]
    more = more | {"looks": [look[H] for H in found_by_size], "ax": ax}
    plots.by_length(next(iter(found_by_size.values()))[0], shares, names, across, **more)
plots.show(
    left, "Rows right by length, for three sizes of the state: mean of the seeds, and from least to greatest."
)

# %% id="bottleneck-claim"
steps, _ = copied[64]
mean = {H: shares.mean(axis=0) for H, (_, shares) in copied.items()}
falls = [row[-1] < 0.2 and row[0] > 0.9 for row in mean.values()]
at_5 = [row[steps == 5].item() for row in mean.values()]
claim("seq2seq.bottleneck", [*falls, at_5[0] < at_5[1] < at_5[2]])

# %% [markdown]
# Copying falls with length, later for a larger state: five symbols are right in four rows of ten at H = 16,
# in more than eight at H = 32 and nearly always at H = 64. Beyond the ten symbols of the training all three
# fail.
#
# Is the vector *full*? Ten symbols of eight kinds are 30 bits; 16 floats have 512. So it is not the bits
# that limit. It is what 700 updates *find*: a state in which ten symbols can be told apart after ten more
# steps, and said in order. (Lesson 07 had 32 numbers that did not hold 3 bits.)
#
# Number words fall far less with length. H = 32 fails at every length; 64 and 128 lie near each other and
# lose about ten hundredths from nine words to eleven (0.95 to 0.86, 0.93 to 0.82). Most words of a number
# follow from the grammar: eleven words hold five digits, 17 bits, where eleven symbols hold 33. What must
# fit through the vector is not length but **information**. The curves are rough because at some lengths
# only dozens of numbers are held out.
#
# (Compare curves within a panel only: tasks and trainings differ.)
#
# ## What is in the state
#
# Each number of the state is a float of 32 bits. How exactly must it be kept? We round all of them to a few
# levels between $-1$ and 1 before the decoder gets the state.
#
# **Predict.** With only the *sign* of each of the 128 numbers, which share of the held-out numbers is still
# right? With five levels?

# %% id="levels" tags=["nbval-ignore-output"]
shares = []
levels = [2, 3, 5, 9, 17, 33]
for count in levels:
    handed = seq2seq.rounded_state(state, count)
    hits = right_rows(free_run(wide, handed, 60), test_rows.target).double().mean()
    shares.append(hits.item())
    print(f"{count:2} levels, at most {128 * np.log2(count):3.0f} bits: {hits:.2f}")
assert shares[0] < shares[2] < shares[-1] + 0.02

# %% [markdown]
# A number below 10,000 is 13 bits, so even the 128 signs could hold it. This network was not trained for
# that: with the signs alone a part of the rows survives, from nine levels on nearly all.
#
# **Predict, then move.** Hand over the state at half its size. Is half of the answer right? Which part goes
# first? What is left at 0.1? And at how many levels does 4281 turn into another number?

# %% id="state-dial" tags=["nbval-ignore-output"]
widgets_seq2seq.state_dial(wide, read, french, number=4281)

# %% [markdown]
# <details><summary>What we saw</summary>
#
# A smaller state gives another answer: a real number, in good French, first wrong in the last words (at
# half its size 4281 becomes 4184); near 0 it is the dream from above. The size of the state matters
# upwards, too: at 1.5 times most answers are wrong. 4281 stays 4281 on three levels and more; on two it is
# 4244.
#
# </details>
#
# ## Reading backward
#
# In 2014 translators gained several points of BLEU (a score from 0 to 100, by the groups of words shared
# with a person's translation) by a trick: read the source from its last word to its first (Sutskever,
# Vinyals and Le). *On average* no word comes nearer to its translation. Why does it help, then? We measure
# as in lesson 07, on copying, in an untrained network and on rows of ten: how long is the gradient of each
# word's loss at the symbol that it should copy?
#
# **Predict.** Both curves on a log axis: forward, and backward.

# %% id="reach"
copier = Seq2Seq(12, 12, H=32, seed=0)
rows = seq2seq.copies(200, 10, 10, torch.Generator().manual_seed(0))
with torch.enable_grad():
    there = exposure.gradients_by_place(copier, rows)[:10]  # (T, S), without the end symbol
    back = exposure.gradients_by_place(copier, seq2seq.backward(rows))[:10].flip(1)
own = {"read forward": there.diagonal(), "read backward": back.diagonal()}
per_step = (there[0, 0] / there[0, -1]) ** (1 / 9)
print(f"factor a step through the encoder: {per_step:.2f}")

# %% id="reach-figure" tags=["nbval-ignore-output"]
ax = plots.by_length(
    np.arange(1, 11),
    [row.numpy() for row in own.values()],
    list(own),
    "word written",
    log=True,
    ylabel="gradient at its symbol",
)
plots.show(ax, "How much of each word's loss reaches the symbol that it should copy, before any training.")

# %% [markdown]
# Read forward, every symbol is ten steps from its copy and the curve is flat. Read backward, the first
# symbol is one step away and the last one nineteen: a straight line, from a hundred times more to a hundred
# times less. The mean distance is the same, but now the first words get a gradient that is large enough to
# learn from, and training can go on from there. Does it end better? Recorded, H = 64, the same updates:

# %% id="backward-figure"
ways = [table("copy", 64, backward=way)[1] for way in (False, True)]
ax = plots.by_length(steps, ways, ["read forward", "read backward"], "symbols to copy", trained=10)
plots.show(ax, "Copying, read forward and read backward: mean and range of the seeds.")
for name, shares in zip(["forward", "backward"], ways, strict=True):
    print(f"{name:9}", *(f"{value:.2f}" for value in shares.mean(axis=1)), "of all rows, by seed")
assert (ways[1].mean(axis=1) > ways[0].mean(axis=1)).all()

# %% [markdown]
# In every seed the network that reads backward gets more whole rows right, with as many weights and the
# same updates. The trick helps where source and target have the same order. It should help less where the
# orders differ (not tested).
#
# ## Other pairs
#
# Nothing in the code is about numbers. Two more tasks are recorded, one run each, H = 96: dates in four
# languages to their ISO form (*lundi 3 février 2025* to *2025-02-03*), and spelling to sound (*cat* to *K
# AE T*, the CMU Pronouncing Dictionary). Where an answer can be nearly right, exact match is too strict:
# the **phoneme error rate** is the number of edits (insert, delete, replace) that turn what was said into
# what is wanted, per sound wanted.
#
# **Predict.** English spelling is not regular. After 700 batches of 64 words, how many of a hundred sounds
# are wrong?

# %% id="other-pairs"
for task in ("dates", "sounds"):
    (run,) = runs("seq2seq", task=task)
    right, of = sum(run["right"]), sum(run["of"])
    low, high = wilson(right, of)
    print(f"{task:6} one run, {run['updates']} updates: {right / of:.3f} right ({low:.3f} to {high:.3f})")
print(f"phoneme error rate {run['sound_errors']:.2f}")

# %% [markdown]
# The intervals are over the rows held out (603 dates, 1962 words); one run does not say how much another
# seed would differ.
#
# Dates are nearly solved. Of the sounds 44 in a hundred are wrong, so hardly a word is right as a whole:
# 700 batches are a third of one pass over the dictionary. This is a beginning, not a result.
#
# ## Looking back
#
# The encoder had a state $h_s$ after *every* word; all but the last were thrown away. **Attention** keeps
# them. At each step the decoder compares its own state $h'_t$ with all of them, turns the results into
# shares $p_s$ that sum to 1 (the softmax of lesson 10), and gets the weighted sum:
#
# $$p_s = \operatorname{softmax}_s\,\bigl(h'_t \cdot h_s\bigr), \qquad \text{context}_t = \sum_s p_s\, h_s$$

# %% id="attention-figure"
ax = plots.attention(["twenty", "-", "one"], "un", [0.1, 0.1, 0.8], turn=3)
plots.show(
    ax, "One step of attention (a drawing): the decoder looks at all states, at some more than others."
)

# %% [markdown]
# What changes:
#
# - **The bottleneck goes.** For a row of $S$ words $S \cdot H$ numbers are carried, not $H$.
# - **The distance goes.** From any written word to any read word it is *one* step, not a product of
#   factors.
# - **The price** is a comparison of each of $T$ written words with each of $S$ read ones, $S \cdot T$ in
#   all, where the recurrence took $S + T$ steps. And all $S$ states must be kept.
#
# If every word can look at every other, what is the recurrence still for? Transformers leave it out, and
# all steps of a training row can be computed at once. Later models brought it back with a linear step,
# which can also be computed in parallel and carries a state of fixed size:
# $h_t = \alpha_t \odot h_{t-1} + \beta_t \odot x_t$, with factors set by the input. This is lesson 02's
# pole and lesson 09's gate.
#
# ## The one factor, through twelve lessons
#
# | lesson | what is applied once a step | what it decided |
# |---|---|---|
# | 01 | the weight of the old value | which order and distance a summary keeps |
# | 02 | the pole $\alpha$ | how long one number remembers |
# | 03 | the eigenvalues $\lambda_i$ | how many memories a matrix has, how long each |
# | 04 | a learned $\alpha$ | whether learning it is stable |
# | 05 | $W_{hh}$ and the slope of tanh | what pads do to a state |
# | 06 | the same, run backward | which loss reaches which weight |
# | 07 | its mean size $\gamma$ | how far back a loss can see |
# | 08 | a $\gamma$ near 1 | what can be repaired from outside |
# | 09 | the forget gate $f_t$ | what the network keeps, and when |
# | 10 | gates set by the words | whether the first words count at the end |
# | 11 | how fast the prefix fades | how many words of context are used |
# | 12 | 0.6 a step, through two loops | what fits through one vector, and what attention frees |
#
# When something has to last in a recurrent network, look for what multiplies it once a step.
#
# **Check yourself.** A network with attention copies rows of 1000 symbols; with one vector it fails at 10.
# Which cost has grown?
#
# - **a** the number of weights, with the length of the row
# - **b** what is kept while writing, with the length, and the comparisons, with the product of the lengths
# - **c** the distance between a symbol and its copy

# %% id="concept-attention"
concept_check("12.attention", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. Weights do not depend on the length, and the distance is 1.
#
# </details>
#
# ## Summary
#
# - An encoder's last valid state starts a decoder; the decoder is fed what it said and stops at its end
#   symbol, or at a limit. From $h_0 = 0$ it says the same to every input.
# - In training it is fed the right words. Up to the first mistake that changes nothing; behind it the
#   network goes on from mistakes that it never met. Greedy need not find the likeliest row; a beam usually
#   finds a likelier one, not always; and the likeliest row may be wrong.
# - One vector of $H$ numbers: on copying, exact match falls with length, later for larger $H$, long before
#   its bits are used up. Reading backward brings the beginnings near; attention brings every word near, at
#   a price that grows with the product of the lengths.
#
# **Two open questions.** Between one state and all of them, how could a network keep more of what matters
# and less of the rest? And which of your own problems has a distance in it that a factor a step cannot
# cross?
#
# **Sources.** The lecture "Recurrent Neural Networks" (EE 641, Unit 4A); Cho et al., 2014, and Sutskever,
# Vinyals and Le, 2014, for encoder and decoder; Bengio, Vinyals, Jaitly and Shazeer, 2015, for the coin; Wu
# et al., 2016, for the length in a beam; Bahdanau, Cho and Bengio, "Neural machine translation by jointly
# learning to align and translate", 2015, for attention; Vaswani et al., "Attention is all you need", 2017.
#
# The exercise is ex12. This was the last lesson. Back to [lesson 00](00_start.ipynb): its first figure is the
# whole course.
