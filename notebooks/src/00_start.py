# %% [markdown]
# # 00 Start
#
# **What is this course about, in one picture?**
#
# After this page you can
#
# - say what a filter, a matrix, a gradient and a gate have in common, and read it off a figure;
# - work with a lesson and read what a failing check tells you;
# - say how an exercise is graded, and where each lesson leads.
#
# 20 minutes. Run a cell with **Shift + Enter**; run everything with *Run > Run All Cells*.

# %% id="imports"
import numpy as np
import torch

from course_utils import plots
from course_utils.bridge import four_lines
from course_utils.checks import CheckFailed, check, concept_check
from course_utils.doctor import examine, report

# %% [markdown]
# ## One picture
#
# A recurrent network reads a sequence one step at a time and carries a few numbers along, its *state*. How
# long does something that it has read stay in these numbers? Below, the question is put to four things that
# look nothing alike. Each begins with a 1 and is then left alone for 40 steps, while we note what is left of
# the 1. The words in bold need not be known yet; each has its lesson.

# %%
steps = 40

# %% [markdown]
# **A filter** (lesson 02). One number. Each step keeps nine tenths of it and adds the input, which is a
# single 1 followed by zeros.

# %% id="filter-line"
state, filter_line = 0.0, []
for x in [1.0] + steps * [0.0]:
    state = 0.9 * state + x
    filter_line.append(state)

# %% [markdown]
# **A matrix** (lesson 03). Two numbers, mixed at every step by the same four weights. What is noted is
# the length of the pair.

# %% id="matrix-line"
mix = np.array([[0.72, -0.54], [0.54, 0.72]])
pair, matrix_line = np.array([1.0, 0.0]), [1.0]
for _ in range(steps):
    pair = mix @ pair
    matrix_line.append(np.linalg.norm(pair))

# %% [markdown]
# **A gradient** (lessons 06 and 07). A network's unit multiplies its state by 1.2, adds a constant and bends
# the result with tanh, a curve that levels off at -1 and 1. The constant is chosen so that the state rests at
# 0.5. Push the first state a little: which share of the push is left some steps later? That share is a
# gradient; PyTorch computes it.

# %% id="gradient-line"
first = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
constant = torch.atanh(first.detach()) - 1.2 * first.detach()
unit, gradient_line = first, [1.0]
for _ in range(steps):
    unit = torch.tanh(1.2 * unit + constant)
    (share,) = torch.autograd.grad(unit, first, retain_graph=True)
    gradient_line.append(share.item())

# %% [markdown]
# **A gate** (lesson 09). A memory cell is multiplied at every step by its *forget gate*, a number between 0
# and 1 that the network sets itself. Here the gate is the height of the S-shaped curve $1/(1+e^{-a})$ at
# $a = 2.197$.

# %% id="gate-line"
gate = 1 / (1 + np.exp(-2.197))
cell, gate_line = 1.0, [1.0]
for _ in range(steps):
    cell = gate * cell
    gate_line.append(cell)

# %% [markdown]
# **Predict before you run the next cell.** The weights were 0.9; 0.72 and 0.54; 1.2 with a tanh; 2.197.
# The figure has a logarithmic axis: equal distances up and down are equal *factors*. Which of the four
# lines falls fastest, and which bends?

# %% id="one-picture-figure"
lines = {"filter": filter_line, "matrix": matrix_line, "gradient": gradient_line, "gate": gate_line}
ax = plots.one_factor(lines)
plots.show(ax, "Four different things lose the same share at every step: the lines lie on each other.")

# %% [markdown]
# <details><summary>What the figure says</summary>
#
# None falls fastest and none bends. Each line is straight, so each step multiplies by the same factor,
# and the four lie on each other, so the factor is the same. It is 0.9. Only the filter shows it; in the
# other three it has to be worked out.
#
# </details>
#
# The next cell works it out for each, without running a single step. For the matrix it is the size of an
# *eigenvalue*, for the gradient the weight times the *slope* of tanh, 1.2 times 0.75, for the gate the height
# of the curve.

# %% id="the-factor-worked-out"
slope = 1 - 0.5**2
print("filter   ", 0.9)
print("matrix   ", np.abs(np.linalg.eigvals(mix)).max().round(4))
print("gradient ", round(1.2 * slope, 4))
print("gate     ", gate.round(4))

# %% [markdown]
# After $t$ steps each line stands at $0.9^t$, to within two thousandths of its value. The loops that the
# lessons build draw the same lines (`four_lines` runs them; lesson 09 comes back to it). An `assert` is
# silent when it holds:

# %% id="the-lines-agree"
expected = 0.9 ** np.arange(steps + 1)
for line, built in zip(lines.values(), four_lines(0.9, steps).values(), strict=True):
    assert np.allclose(line, expected, rtol=2e-3)
    assert np.allclose(line, built, rtol=2e-3)

# %% [markdown]
# > **Whatever is applied once per step decides how long anything lasts.**
#
# That is the course. Every lesson says where this factor is now, measures it, and lets you move it.
# Sometimes it is a number you choose, sometimes one that is learned, sometimes one that the network sets
# anew at every step.

# %% [markdown]
# ## How to work here: predict, run, slide
#
# **Predict** before a cell shows something: a shape, a sign, a number. Say it aloud or write it down. A
# wrong guess is worth more than none, for it shows where your picture is off.
#
# *Try it:* with a factor of 0.9, after how many steps is less than one hundredth left? And with 0.99?

# %% id="below-one-hundredth"
for factor in [0.9, 0.99]:
    left = factor ** np.arange(1000)
    print(f"factor {factor}: below 0.01 from step {np.argmax(left < 0.01)} on")

# %% [markdown]
# **Run**, and compare with your guess.
#
# <details><summary>Why so many</summary>
#
# From 0.9 to 0.99 is a small change of the number and a large one of the memory: what counts is the distance
# from 1. At a tenth of that distance it lasts ten times as long.
#
# </details>
#
# **Slide.** From lesson 01 on there are sliders, each under a figure that already makes the point
# without them. A slider comes with a question; move it until you can answer. By keyboard: Tab reaches a
# control, arrow keys move a slider, Space presses a button, and the number beside a slider can be typed.
# Where there is none, as here, put another number into the cell above (0.999?) and run it again.
#
# The *kernel* is the program that runs your cells and keeps their variables. If something looks odd, choose
# *Kernel > Restart Kernel and Run All Cells*. Many odd results come from cells that were run out of order.

# %% [markdown]
# ## What a failing check looks like
#
# An exercise asks for functions. Under each stands one line, `check(name)`, which calls your function on
# a few open cases, the *visible checks*. Here is a function that is to return the running total of a
# row: for 1, 2, 3 the totals 1, 3, 6. It has a mistake. Can you see it?


# %%
def running_total(x):
    total, totals = 0.0, []
    for value in x:
        totals.append(total)
        total = total + value
    return np.array(totals)


# %% id="check-fails"
try:
    check(running_total)
except CheckFailed as failure:
    print("CheckFailed:", failure)

# %% [markdown]
# Each case has a line: what was expected and what your function returned. Under a failing one stands how the
# two differ, and the call, which you can repeat in a cell of your own. The last line is the error that a
# failing check raises, with the first reason. Here it is caught, so that the page runs on; in an exercise it
# stands in red under the cell.
#
# <details><summary>What is wrong with the function</summary>
#
# The check says it: the values come one step too late. The function notes the total *before* it adds.
#
# </details>
#
# Now the mended function:


# %%
def running_total(x):
    total, totals = 0.0, []
    for value in x:
        total = total + value
        totals.append(total)
    return np.array(totals)


# %% id="check-passes"
check(running_total)

# %% [markdown]
# ## How exercises are graded
#
# **What is compared.** The shape and the values of what your functions return, on the visible cases and on
# *fresh* ones: other numbers, other lengths, drawn when your work is graded. A function that answers only the
# visible cases is not right. Small differences from rounding never count; a loop and a vectorised version are
# both fine.
#
# **What is not compared.** How you wrote it. Text and warnings that your code prints. Cells that you
# added. Check cells that you changed or lost: grading uses its own.
#
# **Points** are given for the fresh cases, case by case, so half an answer gets about half the points.
# Each question ends with one of these words:
#
# | word | meaning |
# |---|---|
# | correct | every case agrees |
# | wrong | it ran, and some values or shapes differ; the feedback says how |
# | raised | it stopped with an error |
# | too slow | it did not finish in its time; the other questions are graded all the same |
# | crashed | it took the kernel down with it; what was earned before stays |
# | not answered | it is still as it was handed out |
# | unreadable | the file could not be opened, not even after repair |
#
# To run all visible checks of an exercise at once, type in a terminal, in the course's folder:
#
# ```
# course validate exercises/ex02/ex02.ipynb
# ```

# %% [markdown]
# ## Notation
#
# These letters mean the same in every lesson. In text time runs $t = 1, \dots, T$; in code the same steps are
# `0` to `T - 1`. The batch, sequences that are computed together, comes first.
#
# | letter | what it is | in code |
# |---|---|---|
# | $T$, $B$, $L$ | steps, sequences in a batch, layers | |
# | $x_t \in \mathbb{R}^d$ | input at step $t$ | `x (B, T, d)` |
# | $h_t \in \mathbb{R}^H$ | state after step $t$; $h_0$ before the first | `states (B, T, H)`, `h0 (B, H)` |
# | $y_t \in \mathbb{R}^K$ | output at step $t$ | `y (B, T, K)` |
# | $W_{xh}$, $W_{hh}$, $b$ | weights into the state | `(H, d)`, `(H, H)`, `(H,)` |
# | $W_{hy}$ | weights from state to output | `(K, H)` |
# | $V$, $E$ | words in the vocabulary, numbers per word | |
# | $\alpha$, $\beta$ | pole and input gain of a filter | `alpha`, `beta` |
# | $\rho$ | spectral radius: the largest size of an eigenvalue | `rho` |
# | $\gamma$ | factor of a gradient per step | `gamma` |
# | $\tau$ | horizon: how many steps something lasts | `tau` |
#
# Losses are in nats (natural logarithm). The page [conventions](../docs/conventions.md) lists every symbol
# with its lessons, and what other libraries do differently. (To see its formulas in JupyterLab, right-click
# in it and choose *Show Markdown Preview*.)

# %% [markdown]
# ## Is everything here?
#
# This cell looks at your installation. If something is missing it says what, and prints the command that
# mends it. (`course check` in a terminal says the same, with versions.)

# %% id="environment"
print(report(examine(), details=False))

# %% [markdown]
# ## The map
#
# One question a lesson, about sixteen and a half hours in all. The last column says what the factor is called
# there. From lesson 01 on each lesson has an exercise of the same number; the lessons up to it come with it.
#
# | lesson | question | minutes | the factor there |
# |---|---|---|---|
# | **00 start** (this page) | What is this course about, in one picture? | 20 | 0.9 |
# | 01 [sequences] | What must survive for order, length and distance to count? | 50 | weight of the past |
# | 02 [one_pole] | How long does one number remember? | 50 | the pole $\alpha$ |
# | 03 [modes] | H numbers and one matrix: how many memories? | 50 | the size of each eigenvalue $\lambda_i$ |
# | 04 [adaptive] | What happens when gradient descent turns the knob inside a loop? | 60 | learned $\alpha$ |
# | 05 [rnn] | What does each weight do, and what does a step cost? | 90 | $W_{hh}$ and the slope of tanh |
# | 06 [bptt] | How does a loss at the end reach a weight at the start? | 110 | the same, run backward |
# | 07 [horizon] | How far back can a loss see? | 80 | its mean size per step, $\gamma$ |
# | 08 [conditioning] | Which repairs mend what? | 75 | a $\gamma$ brought close to 1 |
# | 09 [gated] | Can the network set the pole itself? | 115 | the forget gate $f_t$ |
# | 10 [classifier] | Is order worth a recurrence? | 75 | gates set by the words of a text |
# | 11 [language_model] | What does the whole prefix buy? | 110 | how fast the prefix fades |
# | 12 [seq2seq] | What fits through one vector? | 100 | all steps of a sentence in one state |
#
# [sequences]: 01_sequences.ipynb
# [one_pole]: 02_one_pole.ipynb
# [modes]: 03_modes.ipynb
# [adaptive]: 04_adaptive.ipynb
# [rnn]: 05_rnn.ipynb
# [bptt]: 06_bptt.ipynb
# [horizon]: 07_horizon.ipynb
# [conditioning]: 08_conditioning.ipynb
# [gated]: 09_gated.ipynb
# [classifier]: 10_classifier.ipynb
# [language_model]: 11_language_model.ipynb
# [seq2seq]: 12_seq2seq.ipynb

# %% [markdown]
# ## Check yourself
#
# A unit multiplies its state by 1.8 at every step; the tanh behind it then has slope 0.5 all the time. A
# small change of the first state is followed for ten steps. What is left of it?
#
# - **a** it has grown about 360-fold, for 1.8 is above 1
# - **b** about a third, 0.35
# - **c** about a thousandth, for the tanh halves it ten times
#
# Put your letter in place of `None`, in quotes.

# %% id="concept-product"
concept_check("00.product", None)

# %% [markdown]
# ## Summary
#
# - A filter, a matrix, a gradient and a gate each multiply by a factor once per step. On a log axis that
#   is a straight line, and its steepness is the factor. Whatever is applied once per step decides how
#   long anything lasts.
# - Predict, run, slide. A failing check names the case, what was expected, what came and how the two
#   differ.
# - Grading compares values and shapes on visible and on fresh cases, and gives points case by case. The
#   map says which question each lesson asks and what the factor is called there.
#
# **Two open questions.** A factor of 0.9 forgets and a factor of 1.1 explodes. Why not simply take 1
# everywhere? And if the factor is what counts, who should choose it: you, the training, or the network
# itself, anew at every step?
#
# **Sources.** The lecture "Recurrent Neural Networks" (EE 641, Unit 4A); the course note "Recurrent
# neural networks"; the blog post "RNN".
#
# Next: lesson [01, sequences](01_sequences.ipynb): what has to survive for order and distance to count.
