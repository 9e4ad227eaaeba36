# %% [markdown]
# # 11 Language model
#
# **What does the whole prefix buy?**
#
# After this lesson you can
#
# - turn texts into a task (pieces, shift by one, masked loss) and give a perplexity that can be compared;
# - put a recurrent model beside models that count, say which wins on which text and why;
# - measure how much of the text before it a model uses, and draw new texts from it in three ways.
#
# 110 minutes, best in two sittings: a good place for a break is before *What counting can never do*. You
# need the masked loss of lesson 06, clipping from lesson 08, the LSTM of lesson 09, and from lesson 10 the
# embedding, the softmax and the three kinds of documents: to train on, to choose by, to test on.

# %% id="imports"
import math

import numpy as np
import torch
from torch import nn  # noqa: F401 (this and the next are used by what is shown)
from torch.nn.functional import cross_entropy  # noqa: F401

from course_utils import bpe, brackets, corpus, full_size, ngrams, plots, records, widgets_language
from course_utils.batching import pad
from course_utils.checks import claim, concept_check
from course_utils.intervals import mean_interval
from course_utils.language import LanguageModel, masked_loss, perplexity, shift, target_probabilities, train
from course_utils.long_text import read_in_windows, side_by_side
from course_utils.ngrams import DISCOUNT, count_followers, distribution, ngram_loss, probability  # noqa: F401
from course_utils.records import runs
from course_utils.sampling import BEGIN, END, go_on, likeliest, nucleus, only, repeated, tempered, top_k  # noqa: F401
from course_utils.tokens import PAD  # noqa: F401

# %% id="settings"
torch.set_num_threads(1)  # the products are too small to share
rng = torch.Generator().manual_seed(11)

# %% [markdown]
# ## One token at a time
#
# A text is a row of **tokens** $w_1, w_2, \dots, w_T$: here words, in the next section pieces of words. How
# probable is a text? The probability of two events is that of the first, times that of the second given the
# first. Applied to one token after another, this is the **chain rule**:
#
# $$P(w_1 \dots w_T) = \prod_{t=1}^{T} P(w_t \mid w_1 \dots w_{t-1}).$$
#
# Nothing is left out. So a model of texts is a model of *the next token*, given the **prefix**, all tokens
# before it. A good model gives much probability to the tokens that really came. So its loss is the
# cross-entropy of lesson 10, with tokens for classes: the mean of $-\ln P$ over the tokens that came. Its
# unit is the *nat*: one nat more means a probability smaller by the factor $e$.
#
# The simplest model counts. Three documents, each between a mark of begin (the number 2) and a mark of end
# (the number 3):
#
# | | | | | |
# |---|---|---|---|---|
# | 2 | the | sum | of | 3 |
# | 2 | the | sum | 3 | |
# | 2 | the | product | of | 3 |
#
# (In the cell a word's number is its place in `words`.)
#
# **Predict.** How often is *the* followed by *sum*? What is the probability of the second document, if each
# token depends only on the one before it?

# %% id="by-hand"
words = ["<pad>", "<unk>", "<bos>", "<eos>", "the", "sum", "of", "product"]
three = [[2, 4, 5, 6, 3], [2, 4, 5, 3], [2, 4, 7, 6, 3]]
followers = count_followers(three, order=2)
print("after the:", {words[token]: count for token, count in followers[1][(4,)].items()})
steps = [probability(followers, [a], b, V=8, discount=0) for a, b in [(2, 4), (4, 5), (5, 3)]]
print("the, sum, end:", [round(step, 3) for step in steps], "product:", round(math.prod(steps), 3))

# %% [markdown]
# Every document begins with *the*; *sum* follows in two of three; the end follows *sum* in one of two:
# $1 \cdot 2/3 \cdot 1/2 = 1/3$. And the document *the product*? The end never followed *product*, so it has
# probability 0, and its loss is infinite. A model that counts must keep a share for what never came; the
# section after next shows how.
#
# ## Pieces of words
#
# What should a token be? If it is a word, a word that never came has no number. If it is a letter, texts
# become long. **Byte pair encoding** (BPE) lies between: begin with letters, make the pair of neighbours
# that comes most often one piece, and repeat.

# %% shows="course_utils.bpe.learn_merges" id="learn-merges"

# %% [markdown]
# **Predict.** Twelve words: *return*, *returns*, *returned*, *returning*, *compute*, *computes*,
# *computed*, *computing*, *given*, *gives*, *giving*, *forgiven*. Which whole word is a single piece first?
# Of which pieces is *forgives* made, which is not among them?

# %% id="merges"
merges = bpe.learn_merges(bpe.TWELVE_WORDS, count=16)
print(" ".join(a + b for a, b in merges))
for word in ("returning", "forgives", "minute"):
    print(f"{word}: {' '.join(bpe.apply_merges(word, merges))}")

# %% [markdown]
# *return* is the first whole word. *forgives* becomes *f o r give s*: a word that never came still has
# pieces, and a frequent word has few.
#
# For real texts a library does the same in seconds. Ours are documents like those of lesson 10: the first
# paragraphs of the docstrings of one installed library, SymPy, a package for algebra. A tenth of them is
# kept to choose by (**validation**), another tenth for the **test**, and no document of one part is nearly
# a copy of one in another. Until the final comparison we look at validation documents only.

# %% id="read" tags=["nbval-ignore-output"]
documents = corpus.documents(["sympy"])  # the first time about half a minute

# %% id="texts"
sides = corpus.three_sides(documents)
texts = [[document.text for document in side] for side in sides]
encoder = bpe.train_bpe(texts[0], size=2000)
rows, validation, test = (bpe.encode_texts(encoder, side) for side in texts)
V = encoder.get_vocab_size()
print(texts[1][12])
print(" ".join(encoder.id_to_token(token) for token in validation[12]))

# %% id="corpus-size" tags=["nbval-ignore-output"]
for name, side in [("training", rows), ("validation", validation), ("test", test)]:
    print(f"{name:10} {len(side):5} documents, {sum(map(len, side)):7} pieces")
print(f"V = {V} different pieces; a document has {np.mean([len(row) for row in rows]):.0f} on average")

# %% [markdown]
# The sign ▁ is the blank before a word. All letters are made lower case.
#
# ## Counting, done well
#
# A model of **order** $n$ looks at the last $n - 1$ tokens, its *context*. It is called an **n-gram**
# model; orders 1, 2 and 3 have the names unigram, bigram and trigram. A token that never came after a
# context must get a share all the same. So every count gives up a **discount** $D$ (ours is 0.75), and what
# is collected is handed to the model that looks at one token less. Let $u$ be a context and $u'$ the same
# without its oldest token; $\text{count}(u, w)$ says how often token $w$ followed $u$, $\text{count}(u)$ is
# the sum over all $w$, and $N(u)$ says how many *different* tokens followed:
#
# $$P(w \mid u) = \frac{\max(\text{count}(u, w) - D, 0)}{\text{count}(u)}
# + \frac{D\,N(u)}{\text{count}(u)}\, P(w \mid u')$$
#
# The last fraction is what was collected: $N(u)$ counts gave up $D$ each. For the empty context, $1 / V$
# stands in place of $P(w \mid u')$. In the example above *sum* followed *the* twice and *product* once.
# They keep $1.25 / 3$ and $0.25 / 3$, and $1.5 / 3$ is handed to the unigram, which shares it out among all
# tokens.

# %% shows="course_utils.ngrams.probability" id="counting"

# %% [markdown]
# The result is usually given as **perplexity**, $\exp$ of the mean loss. Ten equally likely tokens at every
# step make a loss of $\ln 10$ and a perplexity of 10. Lower is better.
#
# **Predict.** A model that knows nothing has perplexity $V = 2000$. What do orders one, two, three and four
# have on the validation documents, roughly? From which order on does more context bring nothing?

# %% id="count-models"
tables = count_followers(rows, order=4)
NAMES = {1: "unigram", 2: "bigram", 3: "trigram", 4: "four-gram"}
counted = {name: math.exp(ngram_loss(tables[:order], validation, V)) for order, name in NAMES.items()}
assert counted["unigram"] > 5 * counted["bigram"] > 6 * counted["trigram"]
assert 0.9 < counted["four-gram"] / counted["trigram"] < 1.1
assert abs(distribution(tables, validation[0][:9], V).sum() - 1) < 1e-9

# %% id="count-result" tags=["nbval-ignore-output"]
for name, value in counted.items():
    print(f"{name:10} {value:6.1f}")

# %% [markdown]
# One token of context takes the perplexity from above 400 to about 72, a second one to 53. A third takes
# off one or two more, and a fourth (in the recorded table below) nothing: most contexts of four tokens
# never came before. A recurrent state may go further: it has no order, and it can read a context that it
# has never met. The number to beat is the trigram's.
#
# ## The shift by one
#
# A recurrent model reads $w_1 \dots w_t$ into its state $h_t$, and $h_t$ gives $V$ scores, one for each
# token that may come as $w_{t+1}$. One pass over a document makes all its predictions at once: **the inputs
# are the text without its last token, the targets are the text without its first**. At each step the model
# reads the token that really *came*, not the one that it predicted. This is **teacher forcing**.
#
# **Predict.** The rows are [2, 5, 6, 3] and [2, 7, 3], padded with 0. Write down inputs and targets.

# %% id="shift"
ids, lengths = pad([[2, 5, 6, 3], [2, 7, 3]])
inputs, targets = shift(ids)
print("inputs ", inputs.tolist())
print("targets", targets.tolist())

# %% [markdown]
# In the second row the input 3, the mark of end, has the target 0, a pad. Nothing follows the end, so this
# prediction must not count.
#
# The model is made of known parts: the embedding turns a token's number into a vector of size $E$, a
# recurrent layer turns the vectors into states of size $H$, and a linear layer turns each state into $V$
# scores. (`tied` is explained where we train.)

# %% id="model"
torch.manual_seed(11)
model = LanguageModel(V, E=128, H=256, cell="lstm", tied=True)
scores, carried = model(inputs)
print("inputs", tuple(inputs.shape), "scores", tuple(scores.shape))

# %% shows="course_utils.language.masked_loss" id="masked-loss"

# %% [markdown]
# `ignore_index=PAD` leaves out every target that is a pad, from the sum and from the number that divides it.
#
# **Predict.** Behind every row of a batch we put 5 more pads, then 50. Does the loss become higher, lower,
# or stay equal? And if pads did count, what would a model gain that has learned that pads follow pads?

# %% id="pads"
ids, lengths = pad(validation[:20])
losses = [masked_loss(model, torch.nn.functional.pad(ids, (0, more))).item() for more in (0, 5, 50)]
print("loss with 0, 5 and 50 more pads:", [round(loss, 2) for loss in losses])
alone = [masked_loss(model, torch.tensor([row])).item() for row in validation[:20]]
weighted = np.average(alone, weights=lengths - 1)
inputs, targets = shift(ids)
shifted = [inputs[0, 1:].equal(targets[0, :-1]), torch.equal(inputs[:, 0], ids[:, 0])]
claim("lm.teacher_forcing", [*shifted, np.allclose(losses, losses[0]), np.isclose(losses[0], weighted)])

# %% [markdown]
# It stays equal. If pads counted, each would be easy, with a loss near 0. With as many pads as tokens the
# mean loss would be *halved*, and the perplexity replaced by its square root.
#
# ## Perplexity, and three ways to get it wrong
#
# Before any training all scores are close to 0.
#
# **Predict.** The loss of the untrained model, in nats.

# %% id="at-the-start"
start = masked_loss(model, ids).item()
print(f"loss at the start {start:.1f}, ln V = {math.log(V):.1f}")
sizes = torch.tensor([3.0, 1.0])
right = abs(perplexity([1.0, 3.0], sizes) - math.exp(1.5)) < 1e-9
infinite = perplexity([20.1], [1]) == math.inf
claim("lm.perplexity", [right, infinite, abs(start - math.log(V)) < 0.1])

# %% [markdown]
# All tokens are about equally likely. If your first loss is not near $\ln V$, look for the mistake before
# you train: far above it the scores are too large, far below it the model can see the answer.
#
# Then the mean. Documents have different lengths. Three wrong ways to average:
#
# 1. take the perplexity of each document, then the mean of these;
# 2. take the mean loss of each document, then the mean of these, then $\exp$;
# 3. count all places, with pads as tokens that were predicted with probability 1.
#
# **Predict** for each whether it comes out too high or too low. We try them on the trigram, in which
# nothing is drawn at random.

# %% id="three-wrong"
some = validation[:300]
each = np.array([ngram_loss(tables[:3], [row], V) for row in some])
count = np.array([len(row) - 1 for row in some])
right = math.exp(np.average(each, weights=count))
wrong = {
    "mean of the documents' perplexities": np.exp(each).mean(),
    "exp of the mean of the documents' losses": math.exp(each.mean()),
    "pads counted": math.exp((each * count).sum() / (len(some) * count.max())),
}
assert wrong["mean of the documents' perplexities"] > 1.02 * right
assert max(list(wrong.values())[1:]) < 0.98 * right

# %% id="three-wrong-numbers" tags=["nbval-ignore-output"]
print(f"token by token: {right:.1f}", *(f"{name}: {value:.1f}" for name, value in wrong.items()), sep="\n")

# %% [markdown]
# The first is too high, the others are too low. $\exp$ grows ever faster, so one document with a large loss
# pulls the mean of the perplexities up. In the second a document of six tokens weighs as much as one of
# sixty, and here the short documents are the easier ones. The third falls with every pad that is added.
# Batches have different lengths, too, so `perplexity` takes the mean losses *and* how many tokens each
# stands for. (Above 20 nats a token it says infinite: $e^{20}$ is nearly five hundred million.)
#
# **Check yourself.** Two batches have mean losses of 2 and 4 nats, over 300 and 100 tokens. The perplexity?
#
# - **a** $e^{3} = 20$
# - **b** $e^{2.5} = 12$
# - **c** $(e^2 + e^4)/2 = 31$

# %% id="concept-average"
concept_check("11.average", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. $(300 \cdot 2 + 100 \cdot 4) / 400 = 2.5$ nats a token.
#
# </details>
#
# ## The training
#
# The note on language models gives a setting and no result: AdamW, a form of Adam, with step size
# $3 \cdot 10^{-3}$; batches of 64 documents; clipping at 1.0; three epochs; documents cut to 128 tokens;
# $E = 128$, $H = 256$. Here is the loop of one epoch.

# %% shows="course_utils.language.one_epoch" id="loop"

# %% [markdown]
# `train` repeats it, looks at the validation documents after each epoch, and in the end restores the
# weights of the epoch that was best there.
#
# Here we train an LSTM of these sizes for four epochs with **tied weights**. A row of the embedding says
# what a token means when it is *read*; a row of the output layer says what it means when it is *predicted*.
# Tied means that both are one matrix. That saves 0.5 M of 1.2 M parameters, and time.
#
# **Predict.** Which of the levels on the validation documents does it pass: unigram 412, bigram 72, trigram
# 53?

# %% id="train-small" tags=["nbval-ignore-output"]
seen = train(model, rows, validation, epochs=4)  # about 20 s
print("perplexity after each epoch")
for name, row in zip(["training", "validation"], seen, strict=True):
    print(f"{name:10}", *(f"{value:4.0f}" for value in row))
assert counted["trigram"] < seen.valid[-1] < counted["unigram"] / 4

# %% [markdown]
# It passes the bigram only just, and stays far behind the trigram. On its training documents it is much
# better: it has begun to learn them by heart.
#
# Now the note's setting: three epochs, weights not tied, RNN and LSTM, three seeds each. These runs take
# minutes, so they are recorded; `python -m course_utils.experiments language` repeats them. Counting needs
# no seeds.
#
# (In the figures a line is the mean of three seeds, shaded from the least to the greatest, on a log axis.)
#
# **Predict.** Which of the levels do three epochs reach? Is the LSTM ahead of the RNN?

# %% id="note-figure"
networks = {
    "RNN": runs("language", name="note", cell="rnn"),
    "LSTM": runs("language", name="note", cell="lstm"),
}
orders = {name: runs("language", cell="counts", order=order)[0] for order, name in NAMES.items()}
levels = {name: run["valid"] for name, run in orders.items() if name != "unigram"}
ax = plots.perplexity_by_epoch(
    {name: [run["valid"] for run in seeds] for name, seeds in networks.items()}, levels
)
plots.show(ax, "Validation documents: which level does each network pass in three epochs? Three seeds.")

# %% id="note-claim"
for name, seeds in networks.items():
    print(f"{name:10}", np.mean([run["valid"] for run in seeds], axis=0).round(1))
finished = [len(run["valid"]) == 3 and run["best_epoch"] == 3 for seeds in networks.values() for run in seeds]
behind = [run["test"] > 1.2 * orders["trigram"]["test"] for seeds in networks.values() for run in seeds]
claim("lm.training", finished + behind)
assert min(run["valid"][-1] for seeds in networks.values() for run in seeds) > 1.1 * levels["bigram"]

# %% [markdown]
# **Even the bigram wins**, a table and a few lines of code, and the trigram wins by far. A likely reason:
# there is little text, and much of it repeats. A table holds a phrase after it has come once; a network has
# to move all its weights many times until it does. And the LSTM is not ahead of the RNN: what is missing
# after three epochs is not a longer memory.
#
# But the curves still fall. More epochs? A network that reads the same documents again and again learns
# them by heart. A remedy is **dropout**: in training a share of the numbers in the embedded tokens and in
# the states is set to 0, drawn anew each time, so that no score can depend on a single one of them. (At
# validation nothing is dropped.)
#
# **Predict** three runs of the LSTM:
#
# - *10 epochs*, all else as before;
# - *dropout*: twelve epochs, tied weights, a dropout of 0.3, a step size that falls to 0;
# - *wide*: the same at twice the width ($E = 256$, $H = 512$), with a dropout of 0.5.
#
# Does one of them become worse again? Do they reach the trigram?

# %% id="longer-figure"
for name in ("longer", "dropout", "wide"):
    networks["LSTM, " + ("10 epochs" if name == "longer" else name)] = runs("language", name=name)
shown = {name: [run["valid"] for run in seeds] for name, seeds in networks.items() if "," in name}
ax = plots.perplexity_by_epoch(shown, levels)
plots.show(ax, "The LSTM for longer: which run passes which level, and does one rise again? Three seeds.")

# %% [markdown]
# All pass the bigram, **none reaches the trigram**. The run without dropout rises again after about eight
# epochs: in the tenth it has a perplexity of 12 on its training documents, and has learned them by heart.
# `train` keeps the weights of its best epoch. With dropout no run rises, but at the old width it also
# learns less, and ends behind the other's best epoch. With more width dropout pays: the end is near the
# trigram.
#
# Now the final comparison, on the *test* documents: all settings and epochs were chosen on the validation
# documents, so these have decided nothing. An interval says how far three other seeds might move the mean,
# and nothing about other documents. Student's factor is 4.3 for three seeds, so the intervals are wide.
#
# **Predict.** Is the order that of the validation documents?

# %% id="table"
print("                 test perplexity    best epoch  parameters  minutes**")
for order in range(1, 6):
    run = runs("language", cell="counts", order=order)[0]
    print(f"order {order}           {run['test']:6.1f}")
for name, seeds in networks.items():
    mean, low, high = mean_interval([run["test"] for run in seeds])
    best = ", ".join(str(run["best_epoch"]) for run in seeds)
    spent = np.mean([run["seconds"] for run in seeds]) / 60
    print(f"{name:16} {mean:6.1f} +- {high - mean:4.1f} {best:>13} {seeds[0]['parameters']:11} {spent:8.1f}")
print("** of one run, processor time on one core; orders take a second or two")
tested = {name: [run["test"] for run in seeds] for name, seeds in networks.items()}
assert min(tested["LSTM, wide"]) > 1.02 * orders["trigram"]["test"]
assert max(tested["LSTM, wide"]) < 0.99 * min(tested["LSTM, 10 epochs"])
assert max(tested["LSTM, 10 epochs"] + tested["LSTM, dropout"]) < 0.8 * min(tested["RNN"] + tested["LSTM"])

# %% [markdown]
# It is. After three epochs both networks are behind the bigram. The best network by validation (*wide*) is
# ahead of the bigram, and behind the trigram with each of its seeds, although it took minutes and the
# trigram a second. On little text counting is hard to beat. More text, more width or more epochs may change
# this; that is not recorded here.
#
# (The test documents are easier than the validation documents for every model. Numbers from different
# documents must not be compared.)
#
# Do networks and counts know the same? Mix them: for every token take the mean of the two probabilities,
# the network's and the four-gram's.
#
# **Predict.** Is the perplexity of the mixture between the two, or below both?

# %% id="mixed"
four = orders["four-gram"]["test"]
for name, seeds in networks.items():
    alone, both = (np.mean([run[what] for run in seeds]) for what in ("test", "mixed"))
    print(f"{name:16} alone {alone:5.1f}, four-gram alone {four:.1f}, mean of both {both:.1f}")
    assert all(run["mixed"] < 0.95 * min(run["test"], four) for run in seeds)

# %% [markdown]
# Far below both, for every network: even the RNN of three epochs makes the four-gram better by a tenth, and
# the wide LSTM by nearly a quarter. The two err at different tokens. A likely reason, not tested here:
# counts know only the very phrases that came; a network may learn which tokens are *alike*, and so predict
# after prefixes that never came. If you want the lowest perplexity on little text, take both.
#
# ## What counting can never do
#
# In documentation the last few tokens tell much about the next one. Here is a made-up language in which the
# answer always stands further back. A row opens two brackets of four kinds, goes on with four to eight
# letters drawn at random (its *inside*), ends the inside with a colon, and closes the brackets, the one
# opened last first.

# %% id="bracket-rows"
lessons = brackets.bracket_rows(4000, depth=2, generator=rng)
trial = brackets.balanced_rows(20, depth=2, generator=rng)
for row in lessons[:3]:
    print(" ".join(brackets.SIGNS[token] for token in row[1:-1]))

# %% [markdown]
# We measure the perplexity of the *closing brackets alone*. An n-gram of order 5 sees the last four tokens.
# Before a closing bracket these are letters, the colon, perhaps the other closing bracket; the bracket to
# be closed is never among them. What is the best that it can do?
#
# In our test rows each inside comes with all 16 choices of brackets. So a model that cannot see the opening
# bracket meets the same context with each of the four kinds, equally often, and gives the four kinds the
# same probabilities $p_1, \dots, p_4$ each time. Its mean loss is
#
# $$-\tfrac14 (\ln p_1 + \ln p_2 + \ln p_3 + \ln p_4) \ge \ln 4,$$
#
# since the four sum to at most 1, with equality if each is $1/4$. **No model of order 5 or less can have a
# perplexity below 4 here**, however much text it has counted.
#
# **Predict.** What do orders 1 to 5 reach? And order 12, which looks back far enough to see the brackets?
# An LSTM with $H = 64$ after eight epochs? An RNN of the same size?

# %% id="bracket-counts"
signs = len(brackets.SIGNS)
longest = count_followers(lessons, order=12)
closing = {}
for order in (1, 2, 3, 4, 5, 12):
    given = ngrams.target_probabilities(longest[:order], trial, signs)
    closing[order] = brackets.closing_perplexity(given, trial)
    print(f"order {order:2}: {closing[order]:5.2f}")
assert min(closing.values()) >= 4

# %% id="bracket-networks" tags=["nbval-ignore-output"]
reached = {}
for cell in ("lstm", "rnn"):
    torch.manual_seed(11)
    small = LanguageModel(signs, E=16, H=64, cell=cell)
    train(small, lessons, brackets.bracket_rows(200, 2, rng), epochs=8, rate=1e-2)  # about 3 s each
    reached[cell] = brackets.closing_perplexity(target_probabilities(small, trial), trial)
    print(f"{cell.upper():4}: {reached[cell]:.2f}")
assert reached["lstm"] < 2 < 3 < reached["rnn"]

# %% [markdown]
# Orders 3 and 4 are at the bound. Order 12 *can* see the brackets, and is worse: counting needs the very
# same context again, but there are $5^8 = 390\,625$ insides of eight letters, and in 4000 rows hardly one
# of them comes twice. The LSTM closes nearly all brackets right, also around insides that it has never
# read: it has learned *what* to keep, where a table can only keep everything. The RNN reads the same rows
# and its state has room for two brackets, yet it is at the bound, too. A likely reason, not tested here:
# the gradient that would train it has to come back through every letter, and fades on the way (lesson 07).

# %% [markdown]
# ## How much of the prefix?
#
# Back to the documentation. How much of the prefix do the networks use there? First, does the state still
# know the second token of a document? We change this token and count at how many later steps the scores
# move. Then, for targets with at least 16 tokens before them, we let the network read only the last few of
# these.
#
# **Predict.** At how many steps do the scores move? And how many tokens bring most of the gain?

# %% id="reaches-back"
one = torch.tensor([validation[12]])
other = one.clone()
other[0, 1] = 7
moved = (model.eval()(one)[0] - model(other)[0]).abs().amax(dim=2)[0]  # (T,)
print("steps at which the second token moves the scores:", int((moved[1:] > 0).sum()), "of", len(moved) - 1)

# %% id="prefix-figure"
cut = {name: [run["cut"] for run in networks[name]] for name in ("RNN", "LSTM", "LSTM, 10 epochs")}
cut["counts"] = [runs("language", cell="counts", order=5)[0]["cut"]]
kept = networks["LSTM"][0]["kept"]
ax = plots.perplexity_by_prefix(kept, cut)
plots.show(ax, "The same targets, when only the last tokens before each are read. Three seeds.")

# %% id="prefix-claim"
for name, seeds in cut.items():
    means = np.mean(seeds, axis=0)
    print(f"{name:15}", *(f"{k:2}: {value:4.0f}  " for k, value in zip(kept, means, strict=False)))
six, gain = kept.index(6), {}
for name in networks:
    rows_cut = [run["cut"] for run in networks[name]]
    gain[name] = [math.log(row[0] / row[six]) / math.log(row[0] / row[-1]) for row in rows_cut]
    print(f"{name:15} share of the gain from 1 token to 16 that six bring: {np.round(gain[name], 2)}")
handful = [share > 0.8 for share in gain["RNN"] + gain["LSTM"]]
claim("lm.beats_ngram_context", [(moved[1:] > 0).all().item(), *handful])

# %% [markdown]
# The counts stop gaining where their order ends; the networks gain on. But more than nine tenths of the
# gain come with the last six tokens: the *forward pass* sees the whole prefix, and what was *learned* lies
# in a handful of tokens. This figure cannot tell how much of that is due to the texts (18 tokens a
# document) and how much to the fading gradient of lesson 07; the brackets show that an LSTM can learn to
# look past eight letters where it has to. Longer training changes it: after ten epochs without dropout six
# tokens bring four fifths of the gain, and ten more the last fifth. The runs with dropout stay above nine
# tenths.
#
# One thing is unfair here: a network that reads only the last two tokens begins in the middle of a text
# with the state 0, as it never did in training, and does worse than the bigram. The figure shows what a
# *cut* costs this network, not how well a network trained on two tokens would do.
#
# **Predict, then move.** Below, the network trained here and the four-gram read the last tokens of a
# sentence. The bars are the probabilities of the next token. (Needs a running kernel.) From how many tokens
# on do the bars of the counts stand still? What does a larger discount do to them?

# %% id="prefix-dial" tags=["nbval-ignore-output"]
ours = [
    "Return the product of all numbers that stand on the diagonal of the matrix",
    "Compute the sum of a series up to the given order of its terms",
    "Return True if the two expressions are equal for all values of their symbols",
    "A class for functions of one variable that are zero outside of an interval",
]
widgets_language.prefix_dial(model, tables, encoder, ours)

# %% [markdown]
# <details><summary>Answers</summary>
#
# From three on: a four-gram has no place for a fourth token of context. The network's bars move on, less
# and less. A larger discount hands more to the shorter contexts, so that tokens appear which came after the
# last one or two. Where the longest context never came, only the shorter ones count.
#
# </details>
#
# ## Drawing a text
#
# A model of the next token can write: draw a token from its probabilities, let the model read it, draw
# again. The state is carried on, so each token is read once.

# %% shows="course_utils.sampling.go_on" id="go-on"

# %% [markdown]
# How to draw from the scores $s$?
#
# - *As the model says*: with the probabilities softmax$(s)$.
# - With a **temperature** $\theta$: with softmax$(s / \theta)$. So every probability is taken to the power
#   $1/\theta$, and then all are divided by their sum.
# - **Top-k**: only among the $k$ likeliest; all others get 0.
# - **Nucleus**: only among the fewest likeliest tokens that together hold, say, 0.9. These are few where
#   the model is sure and many where it is not.

# %% shows="course_utils.sampling.tempered" id="tempered"

# %% shows="course_utils.sampling.nucleus" id="nucleus"

# %% [markdown]
# **Predict.** Two tokens have probabilities 0.8 and 0.2. What are they at $\theta = 0.5$, at $\theta = 2$?
# A friend divides the *probabilities* by $\theta$ and scales them to sum to 1: what does the friend get?

# %% id="temperature"
scores = torch.log(torch.tensor([0.8, 0.2]))
for theta in (0.5, 1.0, 2.0):
    print(f"temperature {theta}:", [round(share, 3) for share in tempered(scores, theta).tolist()])

# %% [markdown]
# $0.8^2 : 0.2^2$ is 16 to 1, and $\sqrt{0.8} : \sqrt{0.2}$ is 2 to 1. The friend gets 0.8 and 0.2 at every
# temperature: dividing both by $\theta$ does not change their ratio.
#
# Now the model trained here, after *Return the*.

# %% id="rules-figure" tags=["nbval-ignore-output"]
beginning = [BEGIN, *encoder.encode("Return the").ids]
scores = model.eval()(torch.tensor([beginning]))[0][0, -1].detach()
shares = tempered(scores, 1.0)
best = shares.topk(12).indices
rules = {"as it is": shares, "temperature 0.5": tempered(scores, 0.5)}
rules |= {"top 5": top_k(shares, 5), "nucleus 0.5": nucleus(shares, 0.5)}
names = [encoder.id_to_token(int(token)) for token in best]
ax = plots.next_tokens(names, {name: rule[best] for name, rule in rules.items()})
plots.show(ax, "The likeliest next tokens after 'Return the', under four rules of drawing.")

# %% [markdown]
# The order of the tokens is the same under all four rules. A temperature of 0.5 favours the first and keeps
# all; top 5 keeps five; the nucleus keeps as many as it needs for half of the probability.
#
# **Predict, then move.** With temperature 2 and nothing cut, how long does a text make sense? What does a
# nucleus of 0.9 mend? With a nucleus of 0.05, do the draws differ?

# %% id="sampler" tags=["nbval-ignore-output"]
prompts = ["Return the", "Return True if", "This class", "A matrix", "Compute the"]
widgets_language.sampler(model, encoder, prompts)

# %% [markdown]
# <details><summary>Answers</summary>
#
# At 2 it falls apart within a few tokens. Each token that makes no sense is unlikely, but all of them
# together are likely. The nucleus cuts off this *tail* and leaves the choice among the sensible tokens. At
# 0.05 nearly always only the likeliest token is left, and all draws are one text.
#
# </details>
#
# ## Why not the likeliest text?
#
# If the model is good, should its likeliest text not be the best one? *Greedy* takes the likeliest token at
# each step. *Beam search* (built in lesson 12) keeps the 8 likeliest beginnings at each step, and so
# usually comes closer to the likeliest text of all. We let both go on from the first three tokens of 40
# validation documents, and draw from the nucleus 0.9 beside them.
#
# **Predict.** Order by the model's own loss a token: greedy, beam, drawn, and what people wrote. Which
# texts are short?


# %% id="dull" tags=["nbval-ignore-output"]
def from_nucleus(scores):
    return torch.multinomial(nucleus(tempered(scores, 1.0), 0.9), 1, generator=rng)


written = [row for row in validation if len(row) > 12][:40]
ways = {
    "written": written,
    "drawn": [go_on(model, row[:3], 30, from_nucleus) for row in written],
    "greedy": [go_on(model, row[:3], 30, torch.argmax) for row in written],
    "beam 8": [likeliest(model, row[:3], 30, width=8)[0] for row in written],
}

# %% id="dull-numbers" tags=["nbval-ignore-output"]
nats = {}
print("         nats a token  nats a text  tokens a text  different tokens")
for name, drawn in ways.items():
    new = [token for row in drawn for token in row[3:]]
    losses = [masked_loss(model, torch.tensor([row])).item() * (len(row) - 1) for row in drawn]
    nats[name] = sum(losses) / sum(len(row) - 1 for row in drawn)
    print(f"{name:8} {nats[name]:12.1f} {np.mean(losses):12.0f} {len(new) / 40:14.1f} {len(set(new)):17}")
assert nats["written"] > 1.15 * nats["drawn"] > 1.3 * max(nats["greedy"], nats["beam 8"])

# %% id="dull-texts" tags=["nbval-ignore-output"]
for name in ("drawn", "greedy", "beam 8"):  # what was written belongs to its library, and is not shown
    print(f"{name:8} {bpe.decode_text(encoder, ways[name][3])}")

# %% [markdown]
# What people write is the *least* likely: the model's loss on it is more than twice that on its own greedy
# texts. Beam search has the lowest loss a *text*; that is what it looks for, and since every further token
# costs, its texts are the shortest. They also say what always fits: the 40 texts use a fifth as many
# different tokens as those that people wrote. A text that tells us something is not the likeliest one. So
# texts are drawn, and the nucleus only cuts off the tail, where the model is at its worst.
#
# And when a text must not end? We forbid the mark of end and let greedy and the nucleus write 30 tokens.


# %% id="no-end" tags=["nbval-ignore-output"]
def goes_on(choose):
    """The same choice, from all tokens but the mark of end."""
    return lambda scores: choose(scores.index_fill(0, torch.tensor(END), -math.inf))


again = {}
for name, choose in [("drawn", from_nucleus), ("greedy", torch.argmax)]:
    endless = [go_on(model, row[:3], 30, goes_on(choose)) for row in written]
    again[name] = np.mean([repeated(row) for row in endless])
    print(f"{name:6} pairs of tokens that came before in the text: {again[name]:.0%}")
    print(f"{name:6} {bpe.decode_text(encoder, endless[3])}")
assert again["greedy"] > 3 * again["drawn"]

# %% [markdown]
# Drawn texts hardly ever repeat a pair of tokens. Greedy goes round in circles: what it has written makes
# the same words likely again.
#
# **Check yourself.** You lower the temperature from 1 to 0.5. What can happen to the order of two tokens?
#
# - **a** it can turn round, if they are close
# - **b** it never changes; only their ratio does
# - **c** it turns round for tokens below probability 0.5

# %% id="concept-temperature"
concept_check("11.temperature", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. $p^{1/\theta}$ grows with $p$.
#
# </details>
#
# ## Long text
#
# Documents of twenty tokens fit in a batch. A book does not, so it is read in windows of $T$ tokens. From
# one window to the next the *state* is carried on and its history cut off: gradients end where the window
# begins (lesson 06, truncated backpropagation). Only this changes in the loop:
#
# ```diff
# +carried = None
#  for ids in windows:
#      inputs, targets = shift(ids)
# -    scores, _ = model(inputs)
# +    scores, carried = model(inputs, carried)
#      loss = ...
# +    carried = detached(carried)
# ```
#
# The windows of a text must follow each other. So a row of the batch is one long line of text, many lines
# lie side by side, and nothing is shuffled. Where a new document begins in the middle of a line, the state
# need not be reset to 0: the mark of end tells the model.
#
# **Predict.** We put the validation documents into 16 lines and read them in windows of 4 tokens: with the
# state carried, and with every window begun at 0. Then in windows of 32. Which of the four has the highest
# perplexity? Which two are equal?

# %% id="long-text" tags=["nbval-ignore-output"]
lines = side_by_side(validation, 16)
for T in (4, 32):
    values = [read_in_windows(model, lines, T, carry=carry) for carry in (True, False)]
    print(f"windows of {T:2}: carried {values[0]:.0f}, begun anew {values[1]:.0f}")
    assert values[0] < 0.98 * values[1]

# %% [markdown]
# Windows of 4 begun anew are worst. With the state carried the size of a window makes no difference to what
# is predicted, only to what can be *learned*, since gradients end where it begins. Two common slips: to
# carry a state between shuffled batches (the model goes on from another text), and to forget `detach` (the
# second backward pass meets a graph that is gone).
#
# ## Full size
#
# The note's own model: $V = 37\,580$, $E = 256$, $H = 512$, an RNN. **Predict.** Where do its
# parameters sit: in the embedding, in the recurrence, or in the output layer?

# %% id="parameters"
parts = full_size.parameter_table(V=37_580, E=256, H=512)
for name, count in parts.items():
    claim(f"lm.{name}_parameters", count)
claim("lm.total_parameters", sum(parts.values()))
print(f"output layer: {parts['output'] / sum(parts.values()):.0%} of the parameters")

# %% [markdown]
# The recurrence has 1.3 per cent of them. Two thirds are in the output layer, and so is nearly all
# *arithmetic*: the embedding only looks up rows.
#
# Three things can limit how fast an update is: the arithmetic; the memory that has to be moved (64 times
# 128 tokens with 37,580 scores each, several times over); or the **steps**, which follow one after another
# however many cores there are. The code below measures the machine's own limits, by a large product and a
# large copy, and says which is nearest.
#
# <details><summary>What it does to be fast on a GPU</summary>
#
# While one batch is worked on, the next is already copied to the card. Nothing in the loop waits for a
# number (see `one_epoch`: the losses are added up on the card). And the output layer multiplies in
# bfloat16, numbers of half the length; the state stays in float32, since it is carried from step to step,
# and its rounding errors with it.
#
# </details>
#
# With a GPU the cell trains at full size. Without one it runs the same lines at a small size, in about five
# seconds on two cores. Its first line says which it was.

# %% id="full-size" tags=["nbval-ignore-output"]
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
size = full_size.size_for(device)
print(f"{device.type}: V = {size.V}, E = {size.E}, H = {size.H}, {size.rows} rows of {size.T} tokens")
windows, limits = full_size.text_of(size), full_size.limits_of(device)
for cell in ("rnn", "lstm"):
    seen = full_size.run(cell, True, device, size, windows, limits)
    print(
        f"{cell}: loss {seen['before']:.2f} to {seen['after']:.2f}, {seen['tokens']:.0f} tokens a second: ",
        end="",
    )
    print(f"{seen['share']:.0%} of the machine's arithmetic; nearest bound: {seen['bound']}")

# %% id="full-size-record"
print((records.DATA / "gpu.txt").read_text().strip())

# %% [markdown]
# Above stands what was recorded of `python -m course_utils.gpu_check`, which runs both cells in both
# precisions.
#
# ## Summary
#
# - A text becomes pieces, the pieces become numbers. Inputs lack the last, targets the first, and pads do
#   not count. Perplexity is $\exp$ of the mean loss *a token*: not a batch, not a document, not with pads.
#   It begins at $V$, and it can be compared only for the same pieces of the same text.
# - On little text counts win: a test perplexity of 45 for the trigram, 75 and 78 for RNN and LSTM after
#   three epochs, 48 for our best LSTM. Mixed with the four-gram that LSTM has 34: they know different
#   things.
# - A row of brackets takes a state: no order up to 5 can have a perplexity below 4 at a closing bracket, and
#   a small LSTM comes near 1.
# - The forward pass sees the whole prefix; what was learned on documentation sits mostly in the last
#   handful of tokens. A text is drawn, by temperature, top-k or nucleus: the likeliest one is short and
#   says what is always said.
#
# **Two open questions.** The model goes on with a text. How would it *answer* one, with another length and
# in other words (lesson 12)? And the state is all that is left of the prefix: what if the model could look
# back?
#
# **Sources.** The note on recurrent language models (EE 641, Unit 4A); Ney, Essen and Kneser, 1994, for the
# discount; Sennrich, Haddow and Birch, 2016, for pieces; Press and Wolf, 2017, for tied weights; Holtzman
# et al., 2020, for the nucleus.
#
# The exercise is ex11. Next, lesson 12: a text into another.
