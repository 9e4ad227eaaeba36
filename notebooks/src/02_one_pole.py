# %% [markdown]
# # 02 One pole
#
# **How long does one number remember?**
#
# After this lesson you can
#
# - say how many steps a loop with a given factor remembers, and read the factor off a figure;
# - say what the loop does to a constant, to a slow and to a fast input, and how late its answer comes;
# - choose between a loop and a fixed window of weights, and say what each costs and what can go wrong.
#
# 40 minutes. You need multiplication, logarithms and the shape of a cosine. Words like *pole*, *gain*
# and *frequency* are explained where they first occur.

# %% id="imports"
import numpy as np

from course_utils import plots, widgets
from course_utils.checks import claim, concept_check
from course_utils.filters import (
    bandwidth,
    dc_gain,
    fir,
    frequency_response,
    horizon,
    impulse_response,
    one_pole,
    taps_to_match,
)
from course_utils.series import delay, google_close

rng = np.random.default_rng(2)

# %% [markdown]
# ## By hand
#
# Numbers arrive one at a time: $x_1, x_2, \dots$. We may keep **one** number, the *state* $h$. The
# simplest rule that forgets at a chosen rate keeps a share of the old state and adds the new input:
#
# $$h_t = \alpha\, h_{t-1} + \beta\, x_t$$
#
# $\alpha$ (alpha) is the factor on the old state and $\beta$ (beta) the weight of the input. We start
# with $\alpha = 0.5$, $\beta = 1$ and nothing stored, $h_0 = 0$.
#
# **Predict.** The inputs are $1, 0, 0, 0$. What are $h_1, h_2, h_3, h_4$? Use paper.

# %% id="by-hand-loop"
h = 0.0
for x_t in [1, 0, 0, 0]:
    h = 0.5 * h + x_t
    print(h)

# %% [markdown]
# <details><summary>Step by step</summary>
#
# $h_1 = 0.5 \cdot 0 + 1 = 1$. Then only the first term is left: $h_2 = 0.5$, $h_3 = 0.25$,
# $h_4 = 0.125$. The 1 is never removed. It is halved, again and again.
#
# </details>

# %% [markdown]
# ## The loop
#
# The same three lines as a function that keeps every state. In text time runs $t = 1, \dots, T$; in code
# the same steps are `0` to `T - 1`, so `states[0]` is $h_1$.

# %% shows="course_utils.filters.one_pole" id="the-loop"

# %% id="by-hand-figure"
x = np.array([1, 0, 0, 0])
ax = plots.states([one_pole(x, alpha=0.5)], ["state"], inputs=x)
plots.show(ax, "The input is 1 once; the state keeps half of it at every later step.")

# %% [markdown]
# The cost of a step does not depend on how much has been read: two multiplications, one addition, one
# number stored. With $\beta = 1$ it is a single multiplication.
#
# Follow one input through the loop. After $i$ more steps it has been multiplied by $\alpha$ exactly $i$
# times, and all inputs add up:
#
# $$h_t = \beta\,(x_t + \alpha\, x_{t-1} + \alpha^2 x_{t-2} + \dots) + \alpha^t h_0$$
#
# So the state is a weighted sum of **everything** read so far, and the weight of an input depends only
# on its age. The next cell compares the loop with this sum, on random inputs.

# %% id="weighted-sum"
x = rng.normal(size=20)
newest_first = x[::-1]
weights = 0.5 ** np.arange(20)
print("loop", one_pole(x, alpha=0.5)[-1].round(6), " sum", (weights @ newest_first).round(6))

# %% [markdown]
# ## One number, then silence
#
# A single 1 followed by zeros is called an *impulse*, and the states that follow it the *impulse
# response*. It shows the weight of an input against its age, so it says everything about the memory of
# the loop: $\beta\,\alpha^t$ after $t$ steps.
#
# **Predict.** The next figure shows $\alpha = 0.9$, $0.99$ and $0.999$ for 300 steps. The right panel
# has a *logarithmic* axis: equal distances up and down are equal factors, and from one power of ten to
# the next is one *decade*. What shape do the curves have there, and how much of the 1 does each keep at
# step 300?

# %% id="impulse-figure"
alphas, labels = [0.9, 0.99, 0.999], ["alpha 0.9", "alpha 0.99", "alpha 0.999"]
responses = [one_pole(np.eye(1, 300)[0], alpha) for alpha in alphas]
left, right = plots.panels(2)
plots.impulse(responses, labels, level=1 / np.e, ax=left)
plots.impulse(responses, labels, log=True, ax=right)
plots.show(left, "Curves that bend on a plain axis (left) are straight lines on a logarithmic one (right).")

# %% [markdown]
# <details><summary>What to see</summary>
#
# Straight lines: a step multiplies by $\alpha$, which on a log axis is one step down of always the same
# length. The slope is $\ln\alpha$ a step. At the end 0.9 keeps $2\cdot10^{-14}$, nothing in practice;
# 0.99 keeps a twentieth, 0.999 three quarters. The three factors differ by less than a tenth, what they
# keep by thirteen decades.
#
# </details>

# %% [markdown]
# The slope can be read off and turned back into the factor:

# %% id="slope"
steps = np.arange(300)
for alpha, response in zip(alphas, responses, strict=True):
    slope = np.polyfit(steps, np.log(response), 1)[0]
    print(f"alpha {alpha}: slope {slope:.5f} a step, e^slope = {np.exp(slope):.4f}")
    assert np.allclose(response, alpha**steps, rtol=1e-9)

# %% [markdown]
# ## How long is that?
#
# A straight line on a log axis never reaches zero, so "how long" needs a mark. The usual one is
# $1/e \approx 0.37$, the dotted line in the left panel, because it gives the shortest formula:
# $\alpha^\tau = 1/e$ means
#
# $$\tau = \frac{-1}{\ln|\alpha|}$$
#
# $\tau$ (tau) is called the **horizon**, counted in steps. One per cent is left after $4.6\,\tau$.
#
# **Predict** the horizons of 0.9, 0.99 and 0.999. Write three numbers down; most people guess far too
# little. The cell measures each from the states of the loop and compares it with the claim of the
# lecture.

# %% id="horizons"
for alpha, response in zip(alphas, responses, strict=True):
    slope = np.polyfit(steps, np.log(response), 1)[0]
    claim(f"one_pole.horizon_{alpha}", -1 / slope)

# %% [markdown]
# <details><summary>Why 10, 100, 1000, nearly</summary>
#
# Close to 1, $-\ln\alpha$ is nearly $1 - \alpha$, so $\tau \approx 1/(1-\alpha)$: the horizon is one
# over the distance from 1. A tenth of the distance, ten times the memory. The rule is half a step too
# long, which matters only for short memories, as the next cell shows.
#
# </details>

# %% id="rule-of-thumb"
for alpha in [0.5, 0.9, 0.99, 0.999]:
    print(f"alpha {alpha}: horizon {horizon(alpha):7.2f}   1/(1 - alpha) = {1 / (1 - alpha):7.2f}")

# %% [markdown]
# **Check yourself.** A loop with $\alpha = 0.98$ is to remember twice as long. Which factor does that?
#
# - **a** $0.98^2 = 0.9604$
# - **b** $0.99$
# - **c** $2 \cdot 0.98 = 1.96$

# %% id="concept-horizon"
concept_check("02.horizon", None)

# %% [markdown]
# ## Four fates
#
# Nothing forces $\alpha$ to lie between 0 and 1. **Predict** the four curves: $0.9$, $1$, $1.05$ and
# $-0.9$, each after a single 1.

# %% id="regimes-figure"
fates = {alpha: one_pole(np.eye(1, 40)[0], alpha) for alpha in [0.9, 1.0, 1.05, -0.9]}
ax = plots.states(list(fates.values()), [f"alpha {alpha:g}" for alpha in fates])
plots.show(ax, "Below one it decays, at one it holds, above one it grows; below zero it alternates.")

# %% [markdown]
# <details><summary>What to see</summary>
#
# The size of $\alpha$ decides between decay, hold and growth; its sign decides whether the state flips
# at every step. With $-0.9$ the sizes are those of $0.9$ exactly.
#
# $\alpha = 1$ forgets nothing. That sounds ideal, and it is a trap: it also *adds* everything, for ever.
#
# </details>

# %% id="regimes"
sizes = {alpha: np.abs(states) for alpha, states in fates.items()}
decays, holds = np.diff(sizes[0.9]).max() < 0, np.ptp(sizes[1.0]) == 0
grows = np.diff(sizes[1.05]).min() > 0
alternates = (fates[-0.9][1:] * fates[-0.9][:-1] < 0).all()
claim("one_pole.regimes", [decays, holds, grows, alternates, np.allclose(sizes[-0.9], sizes[0.9])])

# %% [markdown]
# **Instability is patient.** Take $\alpha = 1.001$, in float32, the number format that networks train
# in. It holds numbers up to $3.4\cdot10^{38}$. Predict: after 1,000 steps, does anything look wrong?
# After how many steps does it overflow, that is, become infinite?

# %% id="patient"
h, count = np.float32(1), 0
with np.errstate(over="ignore"):
    while np.isfinite(h):
        h, count = np.float32(1.001) * h, count + 1
print(f"after 1,000 steps: {1.001**1000:.2f}; infinite after {count:,} steps")
assert abs(count - 88_800) < 100

# %% [markdown]
# <details><summary>Why so late</summary>
#
# After 1,000 steps the state is 2.7 and looks healthy. The overflow comes when $1.001^t$ passes
# $3.4\cdot10^{38}$, at $t = 88.7 / \ln 1.001 \approx 88{,}800$. A short test never sees it. Lesson 07
# meets the same thing in gradients, where the factor is larger and the wait shorter.
#
# </details>

# %% [markdown]
# ## Memory and size come from the same number
#
# Now the input is a constant 1. **Predict** where the state ends for $\alpha = 0.99$, $\beta = 1$.

# %% id="constant-input"
ones = np.ones(3000)
end = one_pole(ones, 0.99)[-1]
print(end.round(6))

# %% [markdown]
# <details><summary>Why 100</summary>
#
# The state stops moving when it loses as much as it gains: $h = \alpha h + \beta$, so
# $h = \beta / (1 - \alpha) = 1 / 0.01$.
#
# </details>

# %% [markdown]
# The size of the output over the size of the input is called the **gain**. For a constant input it is
# the *DC gain* (from direct current):

# %% id="dc-gain"
claim("one_pole.dc_gain", end, stated=dc_gain(0.99))

# %% [markdown]
# So a longer memory also means a larger state, whether wanted or not. The two are set apart by choosing
# $\beta = 1 - \alpha$: then a constant comes out as itself. The weights of all ages add up to 1, and the
# state is a *running average*. This is the average that optimisers keep of gradients (Adam's 0.9 and
# 0.999 are horizons of 9.5 and 1000 steps) and that dashboards draw over noisy curves.
#
# **Predict.** Both curves below end at 1. Where does each stand after one horizon?

# %% id="average-figure"
steady = [one_pole(np.ones(300), alpha, beta=1 - alpha) for alpha in [0.9, 0.99]]
ax = plots.states(steady, ["alpha 0.9", "alpha 0.99"], inputs=np.ones(300))
plots.show(ax, "Both averages reach the input; ten times the memory takes ten times as long.")

# %% [markdown]
# <details><summary>After one horizon</summary>
#
# At $1 - 1/e = 0.63$. What the loop has not yet forgotten of its empty start is missing from the answer:
# $1 - \alpha^t$. Remembering long and answering fast exclude each other.
#
# </details>

# %% [markdown]
# **Check yourself.** With $\beta = 1 - \alpha$, $\alpha$ goes from 0.9 to 0.99. What happens to the
# response to a single 1?
#
# - **a** it starts at the same height and lasts ten times as long
# - **b** it starts ten times higher and lasts ten times as long
# - **c** it starts at a tenth of the height and lasts ten times as long

# %% id="concept-gain"
concept_check("02.gain", None)

# %% [markdown]
# ## Slow and fast inputs
#
# Between a constant and a single 1 lies everything that swings. A *sinusoid* is $x_t = \cos(\omega t)$;
# its **frequency** $\omega$ (omega) says how far it turns at each step, in radians ($2\pi$ is a full
# turn), so it repeats after $2\pi/\omega$ steps, its *period*. The slowest is $\omega = 0$, a constant.
# The fastest that a row of numbers can hold is $\omega = \pi$: $+1, -1, +1, \dots$, period 2.
#
# **Predict.** The running average with $\alpha = 0.9$ reads a cosine of period 60, then one of period 6.
# What comes out: the same, smaller, later?

# %% id="sinusoids-figure"
left, right = plots.panels(2)
for period, ax in [(60, left), (6, right)]:
    x = np.cos(2 * np.pi * np.arange(120) / period)
    plots.states([one_pole(x, 0.9, beta=0.1)], ["state"], inputs=x, ax=ax)
plots.show(left, "A slow swing (left) comes out smaller and later; a fast one (right) nearly vanishes.")

# %% [markdown]
# <details><summary>What to see</summary>
#
# After a short start the output is again a cosine **of the same period**, smaller and later. A slow
# swing stays on one side for longer than the horizon, so the sum follows it. A fast one brings a minus
# before the plus is forgotten, and the two cancel.
#
# </details>

# %% [markdown]
# So each frequency has a gain. We measure it before we have a formula: run a cosine of each period
# through the loop, wait until the start is forgotten, divide the output's spread by the input's over one
# whole period.

# %% id="measure-gain"
periods = np.array([2, 4, 10, 30, 100, 300, 1000])
measured = []
for period in periods:
    x = np.cos(2 * np.pi * np.arange(1000 + period) / period)
    h = one_pole(x, alpha=0.9)
    measured.append(h[-period:].std() / x[-period:].std())
print(np.round(measured, 3))

# %% [markdown]
# Ten for the slowest, the DC gain again, and 0.53 for the fastest. Now the formula. A cosine is the
# shadow of a turning arrow, the complex number $e^{i\omega t}$ of length 1 at the angle $\omega t$, and
# the arrow is easier: one step back in time is a factor $e^{-i\omega}$. If the output is $G$ times the
# input, the loop says $G e^{i\omega t} = \alpha\, G e^{i\omega (t-1)} + \beta e^{i\omega t}$, and
# dividing by $e^{i\omega t}$
#
# $$G(\omega) = \frac{\beta}{1 - \alpha\, e^{-i\omega}}$$
#
# $G$ is the **frequency response**: its size is the gain, its angle the delay as a part of a turn.

# %% id="gain-figure"
omega = np.geomspace(3e-4, np.pi, 300)
formula = np.abs(frequency_response(0.9, omega))
ax = plots.measured_gain(omega, formula, 2 * np.pi / periods, measured)
plots.show(ax, "The crosses lie on the formula: slow passes, then a factor ten is lost each decade.")

# %% [markdown]
# ## A map with one cross on it
#
# Write $z$ for the factor of one step forward, $e^{i\omega}$. Then $1/z$ is one step back, and
#
# $$G = \frac{\beta}{1 - \alpha / z}$$
#
# the *transfer function*. At $z = \alpha$ the denominator is zero and $G$ is infinite. On a map of $G$
# such a place stands up like a tent pole, and it is called a **pole**: a one-pole filter has one, and it
# is $\alpha$.
#
# The frequencies lie on the circle of radius one: $\omega = 0$ at the right, $\pi$ at the left. There
# $|z| = 1$, so the gain is $\beta / |z - \alpha|$, one over the **distance to the pole**. Read the map
# with that:
#
# - near the pole the gain is large, so a pole near $+1$ lets slow inputs through;
# - a pole inside the circle decays, on it holds, outside grows: the four fates.
#
# **Predict.** For a pole at $-0.9$, which inputs pass?

# %% id="plane-figure"
ax = plots.pole_plane([0.5, -0.9, 1.05], ["0.5 decays", "-0.9 flips", "1.05 grows"])
plots.show(ax, "A pole inside the circle forgets, outside it grows; each frequency is a point on the circle.")

# %% [markdown]
# <details><summary>The pole at -0.9</summary>
#
# The fast ones. $\omega = \pi$ is the point $-1$, at a distance of 0.1 from the pole, so the gain is 10;
# a constant is at a distance of 1.9 and comes out at 0.53. Exactly the mirror image of $+0.9$.
#
# </details>

# %% [markdown]
# Everything at once, for several poles and gains: the loop against $\beta\alpha^t$, and the spectrum of
# its response (every frequency of it, by fast Fourier transform) against the transfer function.

# %% id="impulse-claim"
impulse, agree = np.eye(1, 4096)[0], []
z = np.exp(2j * np.pi * np.fft.rfftfreq(4096))
for alpha, beta in [(0.9, 1.0), (-0.9, 0.3), (0.99, 0.01), (0.5, -2.0)]:
    h = one_pole(impulse, alpha, beta)
    agree.append(np.allclose(h, beta * alpha ** np.arange(4096.0), rtol=1e-9, atol=1e-300))
    agree.append(np.allclose(np.fft.rfft(h), beta / (1 - alpha / z), rtol=1e-9))
claim("one_pole.impulse", agree)

# %% [markdown]
# ## Long memory is narrow
#
# Where does a filter stop following? The usual mark, the **bandwidth**, is the frequency at which the
# gain has fallen to $1/\sqrt2 = 0.71$ of its value for a constant (half the *power*, which is the
# square).
#
# **Predict.** From 0.9 to 0.99 the horizon grows tenfold. What does the bandwidth do?

# %% id="bandwidth-figure"
gains = [np.abs(frequency_response(alpha, omega, beta=1 - alpha)) for alpha in alphas]
ax = plots.gain(omega, gains, labels)
plots.show(ax, "Each tenfold horizon moves the corner of the curve one decade to the left.")

# %% id="bandwidth"
for alpha in alphas:
    tau, band = horizon(alpha), bandwidth(alpha)
    print(f"alpha {alpha}: horizon {tau:6.1f} steps x bandwidth {band:.5f} = {tau * band:.4f}")

# %% [markdown]
# <details><summary>What to see</summary>
#
# The product stays at 1, to a thousandth. A filter with a horizon of 100 steps follows nothing that
# turns by more than a hundredth of a radian a step. Memory and speed are one dial, not two.
#
# </details>

# %% [markdown]
# ## Turn the dial
#
# Four views of one number: the impulse response, the same on a log axis, the pole on its map, the gain.
#
# **Before you move it:** set the input gain to *beta = 1 - alpha* and think of going from $\alpha = 0.9$
# to $0.99$. Which of the four views changes most, which hardly at all? Then: where must the pole be so
# that only fast inputs pass, and what does the fourth view say at $\alpha = 1$?
#
# The slider moves with the mouse or, once clicked, with the arrow keys.

# %% id="pole-dial"
widgets.pole_dial()

# %% [markdown]
# <details><summary>Answers</summary>
#
# The map hardly changes: the cross moves by 0.09. The log line becomes ten times flatter, the plain
# response drops to a tenth, and the corner of the gain moves a whole decade. Near the circle small moves
# have large effects.
#
# Only fast inputs pass when the pole is near $-1$: the response alternates, and the gain rises to the
# right. At $\alpha = 1$ no output settles, so there is no gain to draw; with *beta = 1 - alpha* nothing
# even enters.
#
# </details>

# %% [markdown]
# ## Without a loop
#
# There is another way to remember: keep the last $k$ inputs and weigh each with a fixed number, a *tap*.
#
# $$y_t = \sum_{i=0}^{k-1} w_i\, x_{t-i}$$
#
# After $k$ steps an input is gone for good, so this is a *finite impulse response* filter, **FIR**. The
# loop, whose response never ends, is an *infinite* one, **IIR**. Lesson 01 calls the FIR a convolution.
#
# With taps $w_i = \alpha^i$ the FIR copies the loop, up to what is older than $k$: a share of
# $|\alpha|^k$ of the whole. **Predict.** How many taps does it take to copy $\alpha = 0.99$ until one
# per cent is missing?

# %% id="taps"
so_far = np.cumsum(one_pole(np.eye(1, 3000)[0], 0.99))
k = int(np.argmax(so_far >= 0.99 * dc_gain(0.99))) + 1
print(k, "taps, measured;", taps_to_match(0.99, 0.01), "by the formula")
assert k == taps_to_match(0.99, 0.01) == 459

# %% id="fir-figure"
x = np.ones(700)
rows = [fir(x, impulse_response(0.99, k)) for k in [100, 459]] + [one_pole(x, 0.99)]
ax = plots.outputs(rows, ["100 taps", "459 taps", "pole 0.99"])
plots.show(ax, "Each window stops rising where its taps end; 459 taps stop one per cent short.")

# %% [markdown]
# <details><summary>What it costs</summary>
#
# 459 multiplications a step against one, and 459 stored inputs against one number. At equal cost, one
# multiplication, the FIR has a single tap and remembers nothing.
#
# What the FIR gets for it: it cannot explode. A bounded input times $k$ fixed weights is bounded,
# whatever the weights are. The loop has a condition to keep, $|\alpha| < 1$.
#
# </details>

# %% [markdown]
# The next cell checks all of it: how far each reaches, and what happens with weights that grow.

# %% id="fir-claim"
impulse, ones = np.eye(1, 2000)[0], np.ones(2000)
fir_reach = np.count_nonzero(fir(impulse, impulse_response(0.99, 459)))
iir_reach = np.count_nonzero(one_pole(impulse, 0.99))
growing = impulse_response(1.05, 459)
bounded = fir(ones, growing).max() <= 1.000001 * growing.sum()
unbounded = one_pole(ones, 1.05)[-1] > 1e30 * growing.sum()
print(f"FIR reach {fir_reach}, IIR reach {iir_reach} of 2000")
claim("one_pole.fir_vs_iir", [fir_reach == 459, iir_reach == 2000, bounded, unbounded])

# %% [markdown]
# ## Match them
#
# Left: the weight of an input against its age. Right: the answer to a constant 1. Solid is the pole,
# dashed are the taps.
#
# **Before you move it:** for $\alpha = 0.9$, how many taps leave out one per cent? And how many more
# does it take to leave out a hundred times less, 0.01 per cent? Then go to 0.99.

# %% id="fir-match"
widgets.fir_match()

# %% [markdown]
# <details><summary>Answers</summary>
#
# 44 taps for one per cent, 88 for 0.01: what is missing is $\alpha^k$, so each further factor of a
# hundred costs the same 44 taps. At 0.99 everything takes ten times as many. Taps grow in proportion to
# the horizon; the loop's one multiplication does not.
#
# </details>

# %% [markdown]
# ## A real series
#
# The daily closing price of one share, 1047 trading days from 2004 to 2008, smoothed with three
# horizons: about a week (4.5 days), a month (19.5) and five months (99.5). The state starts at the first
# price and not at 0; otherwise the slow average would spend its first year climbing out of an empty
# memory.
#
# First a rule, on the simplest moving thing: a value that rises by 1 a step. How far behind is the
# average in the end?

# %% id="ramp"
ramp = np.arange(3000.0)
for alpha in [0.8, 0.95, 0.99]:
    behind = ramp[-1] - one_pole(ramp, alpha, beta=1 - alpha)[-1]
    print(f"alpha {alpha}: {behind:.3f} steps behind, alpha / (1 - alpha) = {alpha / (1 - alpha):.3f}")

# %% [markdown]
# So an average is late by $\alpha/(1-\alpha)$ steps, close to its horizon. **Predict** for the share:
# which average sees a dip of two weeks, which only the trend? Does the slow one reach the highest price,
# 742 dollars, and when does it turn?

# %% id="series-figure"
days, price = google_close()
slow = {alpha: one_pole(price, alpha, 1 - alpha, h0=price[0]) for alpha in [0.8, 0.95, 0.99]}
ax = plots.smoothed(days, price, list(slow.values()), [f"alpha {alpha}" for alpha in slow])
plots.show(ax, "The longer the memory, the smoother the line, the lower its peak and the later it turns.")

# %% id="series-numbers"
top = price.argmax()
print(f"price      peak {price[top]:.0f} on {days[top]}, day to day {np.diff(price).std():.2f}")
for alpha, line in slow.items():
    late, jumps = delay(price, line, longest=300), np.diff(line).std()
    print(f"alpha {alpha:<5}peak {line.max():.0f}, {line.argmax() - top} days later, ", end="")
    print(f"day to day {jumps:.2f}, best fit {late} days late")

# %% [markdown]
# <details><summary>What to see, and a surprise</summary>
#
# The week follows every dip and turns a day after the price, 32 dollars below its peak. The month keeps
# swings of half a year. Five months see one rise and one fall, top out 155 dollars too low, and at the
# end report 496 where the share stands at 363.
#
# The surprise is the delay. For a steady rise it would be 4, 19 and 99 days; the shift that fits best is
# 3, 14 and 53. The price does not rise steadily: it turns before the slow average has caught up, and a
# filter that is late *and* flattens does not look like a shifted copy any more. The delay of a filter is
# a number for each frequency, not one number.
#
# None of the lines predicts. Each is made from the past alone, and pays for calm with lateness.
#
# </details>

# %% [markdown]
# **Check yourself.** A sensor reading carries a flicker of $+1, -1, +1, \dots$ that should shrink to a
# tenth or less, and a steady change should be reported at most ten steps late. With
# $\beta = 1 - \alpha$, which factor do you take?
#
# - **a** $\alpha = 0.5$
# - **b** $\alpha = 0.9$
# - **c** $\alpha = 0.999$

# %% id="concept-choice"
concept_check("02.choice", None)

# %% [markdown]
# ## Summary
#
# - A loop that multiplies by $\alpha$ once a step remembers for $\tau = -1/\ln|\alpha|$ steps, nearly
#   $1/(1-\alpha)$: 9.5, 99.5 and 1000 for 0.9, 0.99 and 0.999. On a log axis its impulse response is a
#   straight line, and the slope is $\ln|\alpha|$.
# - A constant comes out $\beta/(1-\alpha)$ times as large, a sinusoid $\beta/|1 - \alpha e^{-i\omega}|$
#   times. With a positive $\alpha$ slow inputs pass and fast ones do not; horizon times bandwidth is 1.
#   A steady rise is followed $\alpha/(1-\alpha)$ steps late.
# - The loop costs one multiplication and reaches back without end, but only $|\alpha| < 1$ is stable,
#   and 1.001 takes 88,800 steps to show that it is not. A window of $k$ taps sees $k$ steps for $k$
#   multiplications (459 to match 0.99) and can never explode.
#
# **Two open questions.** With $\alpha = 1$ nothing is lost, but everything that arrives is added. What
# would a loop need to keep one value *and* ignore the rest? And a single real pole can decay or flip,
# but never swing slowly: where would a pole have to lie to do that, and how many numbers would the state
# need?
#
# **Sources.** The lecture "Recurrent Neural Networks" (EE 641, Unit 4A). The share prices are sample
# data that come with matplotlib (Yahoo Finance).
#
# The exercise to this lesson is ex02. Next, lesson 03: more numbers in the state give more poles. Which
# ones?
