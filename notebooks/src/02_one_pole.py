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
# 50 minutes. You need logarithms, the shape of a cosine and, for two sections, complex numbers.

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
# simplest rule keeps a share of the old state and adds the new input:
#
# $$h_t = \alpha\, h_{t-1} + \beta\, x_t$$
#
# $\alpha$ (alpha) is the factor on the old state; $\beta$ (beta) is the weight of the input, also called
# the *input gain*. We start with $\alpha = 0.5$, $\beta = 1$ and $h_0 = 0$.
#
# **Predict.** The inputs are $1, 0, 0, 0$. What are $h_1, \dots, h_4$? Use paper.

# %% id="by-hand-loop"
h = 0.0
for x_t in [1, 0, 0, 0]:
    h = 0.5 * h + x_t
    print(h)

# %% [markdown]
# <details><summary>What to see</summary>
#
# The 1 is never removed. It is halved, again and again.
#
# </details>

# %% [markdown]
# ## The loop
#
# The same three lines as a function that keeps every state. Code counts from 0: `states[0]` is $h_1$.

# %% shows="course_utils.filters.one_pole" id="the-loop"

# %% id="by-hand-figure"
x = np.array([1, 0, 0, 0])
ax = plots.states([one_pole(x, alpha=0.5)], ["state"], inputs=x)
plots.show(ax, "The input is 1 once; the state keeps half of it at every later step.")

# %% [markdown]
# After $i$ more steps an input has been multiplied by $\alpha$ exactly $i$ times, and all inputs add up:
#
# $$h_t = \beta\,(x_t + \alpha\, x_{t-1} + \alpha^2 x_{t-2} + \dots) + \alpha^t h_0$$
#
# The state is a weighted sum of **everything** read so far; a weight depends only on the age of its input.
# The loop and the sum, on random inputs:

# %% id="weighted-sum"
x = rng.normal(size=20)
newest_first = x[::-1]
weights = 0.5 ** np.arange(20)
print("loop", one_pole(x, alpha=0.5)[-1].round(6), " sum", (weights @ newest_first).round(6))

# %% [markdown]
# ## How long is the memory?
#
# A single 1 followed by zeros is an *impulse*, the states that follow it the *impulse response*: the
# weight of an input against its age.
#
# **Predict.** For $\alpha = 0.9$, $0.99$ and $0.999$: after how many steps is 0.37 of the 1 left? Write
# three numbers down; most people guess far too little. The right panel will have a *logarithmic* axis:
# equal distances are equal factors, a factor of ten is a *decade*. What shape do the curves have there?

# %% id="impulse-figure"
impulse = np.zeros(300)
impulse[0] = 1
alphas, labels = [0.9, 0.99, 0.999], ["alpha 0.9", "alpha 0.99", "alpha 0.999"]
responses = [one_pole(impulse, alpha) for alpha in alphas]
left, right = plots.panels(2)
plots.impulse(responses, labels, level=1 / np.e, ax=left)
plots.impulse(responses, labels, log=True, ax=right)
plots.show(left, "Curves that bend on a plain axis (left) are straight lines on a logarithmic one (right).")

# %% [markdown]
# Straight lines: on a log axis a factor $\alpha$ is always the same step, $\ln\alpha$. They never reach zero,
# so "how long" needs a mark. The usual one is $1/e \approx 0.37$ (dotted), which gives the shortest formula.
# $\alpha^\tau = 1/e$ means
#
# $$\tau = \frac{-1}{\ln|\alpha|}$$
#
# $\tau$ (tau) is the **horizon**, in steps. The cell takes it from the slope of a line fitted to each curve
# on the right; 0.999 has not reached the mark after 300 steps, so its line is extended. `claim` prints the
# lecture's number beside ours.

# %% id="horizons"
steps = np.arange(300)
for alpha, response in zip(alphas, responses, strict=True):
    slope = np.polyfit(steps, np.log(response), 1)[0]
    print(f"slope {slope:.5f}, e^slope {np.exp(slope):.4f}, left at the end {response[-1]:.2g}")
    claim(f"one_pole.horizon_{alpha}", -1 / slope)

# %% [markdown]
# <details><summary>Why 10, 100, 1000, nearly</summary>
#
# Close to 1, $-\ln\alpha$ is nearly $1 - \alpha$, so $\tau \approx 1/(1-\alpha)$ (half a step too long): a
# tenth of the distance from 1 is ten times the memory. Read backwards: a curve that crosses 0.37 at step 100
# has $\alpha \approx 1 - 1/100$.
#
# </details>

# %% [markdown]
# **Check yourself.** A loop with $\alpha = 0.98$ is to remember twice as long. Which factor does that?
#
# - **a** $0.98^2 = 0.9604$
# - **b** $0.99$
# - **c** $2 \cdot 0.98 = 1.96$

# %% id="concept-horizon"
concept_check("02.horizon", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. Half the distance from 1, 0.01 in place of 0.02, is twice the horizon.
#
# </details>

# %% [markdown]
# ## Four fates
#
# **Predict** four curves: $\alpha = -0.9$, $0.9$, $1$ and $1.05$, each after a single 1.

# %% id="regimes-figure"
fates = {alpha: one_pole(impulse[:25], alpha) for alpha in [-0.9, 0.9, 1.0, 1.05]}
ax = plots.states(list(fates.values()), [f"alpha {alpha:g}" for alpha in fates])
plots.show(ax, "Below one it decays, at one it holds, above one it grows; below zero it alternates.")

# %% [markdown]
# The size of $\alpha$ decides between decay, hold and growth, its sign whether the state flips at every
# step. $\alpha = 1$ forgets nothing, which is a trap: it also *adds* everything, for ever.

# %% id="regimes"
decays, holds = np.all(np.diff(fates[0.9]) < 0), np.all(fates[1.0] == 1)
grows = np.all(np.diff(fates[1.05]) > 0)
flips = np.all(fates[-0.9][1:] * fates[-0.9][:-1] < 0)
same_sizes = np.allclose(np.abs(fates[-0.9]), fates[0.9])
claim("one_pole.regimes", [decays, holds, grows, flips, same_sizes])

# %% [markdown]
# **One thousandth too much.** Take $\alpha = 1.001$ in float32, the number format of training; it ends
# at $3.4\cdot10^{38}$. **Predict.** Does anything look wrong after 1,000 steps? When is the state
# infinite?

# %% id="patient"
h, count = np.float32(1), 0
with np.errstate(over="ignore"):
    while np.isfinite(h):
        h, count = np.float32(1.001) * h, count + 1
largest = float(np.finfo(np.float32).max)
print(f"after 1,000 steps {1.001**1000:.2f}; infinite after {count:,} steps")
print(f"ln({largest:.1e}) / ln(1.001) = {np.log(largest) / np.log(1.001):,.0f}")
assert abs(count - 88_800) < 100

# %% [markdown]
# <details><summary>Why so late</summary>
#
# After 1,000 steps the state is 2.72 and looks healthy. $1.001^t$ passes $3.4\cdot10^{38}$ at
# $t = 88{,}767$; the loop says 88,764, because float32 rounds 1.001 up a little. A short test never sees it.
#
# </details>

# %% [markdown]
# ## Memory and size come from the same number
#
# The output of the loop is its state. Its size over the size of the input is the **gain**; for a constant
# input it is the *DC gain* (from direct current).
#
# **Predict.** The input is always 1. Where does the state end for $\alpha = 0.99$, $\beta = 1$?

# %% id="dc-gain"
end = one_pole(np.ones(3000), 0.99)[-1]
claim("one_pole.dc_gain", end, stated=dc_gain(0.99))

# %% [markdown]
# <details><summary>Why 100</summary>
#
# The state stops when $h = \alpha h + \beta$, so $h = \beta / (1 - \alpha) = 1 / 0.01$.
#
# </details>

# %% [markdown]
# So a longer memory also means a larger state. $\beta = 1 - \alpha$ takes the two apart: a constant comes out
# as itself, the weights add up to 1, and the state is a *running average*. Adam, a common training method,
# keeps two such averages, with 0.9 and 0.999.
#
# **Predict.** Both curves below head for 1. Where does each stand after one horizon, 10 and 100 steps?

# %% id="average-figure"
ones = np.ones(600)
fast, slow = (one_pole(ones, alpha, beta=1 - alpha) for alpha in [0.9, 0.99])
ax = plots.states([fast, slow], ["alpha 0.9", "alpha 0.99"], inputs=ones)
plots.show(ax, "Both averages climb towards the input; ten times the memory takes ten times as long.")
print(f"0.9 after 10 steps: {fast[9]:.2f}, 0.99 after 100 steps: {slow[99]:.2f}")

# %% [markdown]
# Both at about $1 - 1/e = 0.63$: the empty start is not yet forgotten, a share $\alpha^t$. Remembering long
# and answering fast exclude each other.

# %% [markdown]
# **Check yourself.** With $\beta = 1 - \alpha$, $\alpha$ goes from 0.9 to 0.99. What happens to the
# response to a single 1? It lasts ten times as long and starts
#
# - **a** at the same height
# - **b** ten times higher
# - **c** at a tenth of the height

# %% id="concept-gain"
concept_check("02.gain", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **c**. $\beta$ falls from 0.1 to 0.01: ten times as many weights share the total of 1.
#
# </details>

# %% [markdown]
# ## Slow and fast inputs
#
# A *sinusoid* is $x_t = \cos(\omega t)$. Its **frequency** $\omega$ (omega) is how far the angle moves in a
# step, in radians ($2\pi$ is a full turn); it repeats after $2\pi/\omega$ steps, its *period*. The slowest is
# $\omega = 0$, a constant, the fastest that a row of numbers can hold $\omega = \pi$: $+1, -1, +1, \dots$.
#
# **Predict.** The running average with $\alpha = 0.9$ reads a cosine of period 60, then one of period 6.
# What comes out: the same, smaller, later?

# %% id="sinusoids-figure"
left, right = plots.panels(2)
for period, count, ax in [(60, 120, left), (6, 30, right)]:
    x = np.cos(2 * np.pi * np.arange(count) / period)
    plots.states([one_pole(x, 0.9, beta=0.1)], ["state"], inputs=x, ax=ax)
plots.show(left, "A slow swing (left) comes out smaller and later; a fast one (right) nearly vanishes.")

# %% [markdown]
# After a short start the output is again a cosine **of the same period**. A slow swing outlasts the horizon,
# so the sum follows it. A fast one brings a minus before the plus is forgotten.
#
# So each frequency has a gain. We measure it: once the start is forgotten, divide the spread (standard
# deviation) of the output by that of the input.

# %% id="measure-gain"
periods = np.array([2, 6, 20, 60, 200, 1000])
measured = []
for period in periods:
    x = np.cos(2 * np.pi * np.arange(1000 + period) / period)
    h = one_pole(x, alpha=0.9, beta=0.1)
    measured.append(h[-period:].std() / x[-period:].std())
print(dict(zip(periods.tolist(), np.round(measured, 3).tolist(), strict=True)))

# %% [markdown]
# Period 1000 passes nearly whole, period 60 keeps 0.71, period 6 a tenth, the fastest a twentieth.
#
# Now the formula. With $\mathrm{i}$, the imaginary unit (`1j` in code),
# $e^{\mathrm{i}\varphi} = \cos\varphi + \mathrm{i}\sin\varphi$ is an arrow of length 1 at the angle
# $\varphi$; its shadow on the real axis is the cosine. One step back turns the arrow $e^{\mathrm{i}\omega t}$
# by $-\omega$: a factor $e^{-\mathrm{i}\omega}$. The output has the same period, so it is the input times one
# complex number $G$. The loop says
#
# $$G e^{\mathrm{i}\omega t} = \alpha\, G e^{\mathrm{i}\omega t} e^{-\mathrm{i}\omega} +
# \beta e^{\mathrm{i}\omega t}$$
#
# Divide by $e^{\mathrm{i}\omega t}$ and solve:
#
# $$G(\omega) = \frac{\beta}{1 - \alpha\, e^{-\mathrm{i}\omega}}$$
#
# $G$ is the **frequency response**: its size is the gain; minus its angle over $\omega$ is the delay.

# %% id="gain-figure"
omega = np.geomspace(3e-4, np.pi, 300)
formula = np.abs(frequency_response(0.9, omega, beta=0.1))
ax = plots.measured_gain(omega, formula, 2 * np.pi / periods, measured)
plots.show(ax, "The crosses lie on the formula: slow inputs pass, the fastest shrink to a twentieth.")
for period in [60, 6]:
    turn = 2 * np.pi / period
    G = frequency_response(0.9, turn, beta=0.1)
    print(f"period {period}: gain {np.abs(G):.2f}, {-np.angle(G) / turn:.2f} steps late")

# %% [markdown]
# ## A map of poles
#
# Write $z$ for $e^{\mathrm{i}\omega}$, the factor of one step forward. Then $1/z$ is one step back, and
#
# $$G = \frac{\beta}{1 - \alpha / z}$$
#
# is the *transfer function*. The formula accepts any complex $z$, not only those of size 1: size $r$ means
# an input that grows by a factor $r$ a step. At $z = \alpha$ the denominator is zero and $G$ infinite. On a
# map such a place stands up like a tent pole; it is called a **pole**. Our loop has one, $\alpha$.
#
# The frequencies lie on the circle $|z| = 1$: $\omega = 0$ right, $\pi$ left. There
# $|1 - \alpha/z| = |z - \alpha| / |z| = |z - \alpha|$, so the gain is $\beta / |z - \alpha|$: $\beta$ over
# the **distance to the pole**.
#
# - Frequencies near the pole pass best: a pole near $+1$ lets slow inputs through.
# - A pole inside the circle decays, on it holds, outside grows: the four fates.
#
# **Predict.** For a pole at $-0.9$, which inputs pass?

# %% id="plane-figure"
ax = plots.pole_plane([0.5, -0.9, 1.05], ["0.5 decays", "-0.9 decays, flips", "1.05 grows"])
plots.show(ax, "Inside the circle a pole forgets, outside it grows; slow inputs lie right, fast ones left.")
print("gain of -0.9 at 0 and pi:", np.abs(frequency_response(-0.9, [0, np.pi])).round(2))

# %% [markdown]
# <details><summary>The pole at -0.9</summary>
#
# The fast ones: $\omega = \pi$ is 0.1 from the pole, so with $\beta = 1$ its gain is 10; a constant is 1.9
# away and comes out at 0.53.
#
# </details>

# %% [markdown]
# The lecture's claim, for four loops: the impulse response is $\beta\alpha^t$, and $G$ is the sum of its
# weights, each turned back by its age, $\sum_t h_t z^{-t}$.

# %% id="impulse-claim"
steps, agree = np.arange(4096), []
impulse = np.append(1.0, np.zeros(4095))
for alpha, beta in [(0.9, 1.0), (-0.9, 0.3), (0.99, 0.01), (0.5, -2.0)]:
    h = one_pole(impulse, alpha, beta)
    agree.append(np.allclose(h[:300], beta * alpha ** steps[:300], rtol=1e-9, atol=0))
    for z in np.exp(1j * np.array([0, 0.1, 1, np.pi])):
        agree.append(np.isclose(np.sum(h * z**-steps), beta / (1 - alpha / z), rtol=1e-9))
claim("one_pole.impulse", agree)

# %% [markdown]
# ## Bandwidth
#
# Where does a filter stop following? The **bandwidth** is the frequency at which the gain is
# $1/\sqrt2 = 0.71$ of that for a constant: half the *power*, which is the square.
#
# **Predict.** From 0.9 to 0.99 the horizon grows tenfold. What does the bandwidth do?

# %% id="bandwidth-figure"
gains = [np.abs(frequency_response(alpha, omega, beta=1 - alpha)) for alpha in alphas]
ax = plots.gain(omega, gains, labels)
plots.show(ax, "Each tenfold horizon moves the corner, where the curve bends, one decade to the left.")
for alpha in [0.5, 0.7, *alphas]:
    tau, band = horizon(alpha), bandwidth(alpha)
    print(f"alpha {alpha}: horizon {tau:.1f} steps x bandwidth {band:.4f} = {tau * band:.3f}")

# %% [markdown]
# The product is nearly 1 for $\alpha$ from 0.7 up. **A long memory is a narrow band**: a filter with a
# horizon of 100 passes ever less of what turns faster than a hundredth of a radian a step.

# %% [markdown]
# ## Turn the dial
#
# Four views of one number: the impulse response, the same on a log axis, the pole on its map, the gain. The
# slider (mouse or arrow keys) needs a running kernel; the figures above show the same views without one.
#
# **Predict, then move.** With *beta = 1 - alpha*, from 0.9 to 0.99: which views change most, which hardly?
# Where must the pole be so that only fast inputs pass? What does the fourth view say at $\alpha = 1$?

# %% id="pole-dial"
widgets.pole_dial()

# %% [markdown]
# <details><summary>Answers</summary>
#
# The cross moves by 0.09, hardly at all. The log line becomes ten times flatter, the response starts at a
# tenth (read its axis), the corner of the gain moves a decade. Near the circle small moves do much.
#
# Only fast inputs pass with a pole near $-1$. At $\alpha = 1$ no output settles, so no gain is drawn; with
# *beta = 1 - alpha* nothing even enters. Above 1 that input gain is negative.
#
# </details>

# %% [markdown]
# ## Without a loop
#
# Another way to remember: keep the last $k$ inputs and weigh each with a fixed number, a *tap*.
#
# $$y_t = \sum_{i=0}^{k-1} w_i\, x_{t-i}$$
#
# After $k$ steps an input is gone for good: a *finite impulse response* filter, **FIR** (a convolution). The
# loop, whose response never ends, is an *infinite* one, **IIR**.
#
# Taps $w_i = \alpha^i$ copy the loop but for the share $|\alpha|^k$ that is older than $k$ steps.
# **Predict.** How many does it take for $\alpha = 0.99$ until only one per cent is missing?

# %% id="taps"
x = np.ones(700)
rising = one_pole(x, 0.99)
k = int(np.argmax(rising >= 0.99 * dc_gain(0.99))) + 1
print(k, "taps, measured;", taps_to_match(0.99, 0.01), "by the formula")
assert k == taps_to_match(0.99, 0.01) == 459
windows = [fir(x, impulse_response(0.99, count)) for count in [100, k]]
ax = plots.against_taps(rising, windows, ["100 taps", "459 taps"], "pole 0.99")
plots.show(ax, "100 taps stop at 63, 459 at 99; the pole goes on to 100.")

# %% [markdown]
# 459 multiplications a step against one; at equal cost the FIR has a single tap and remembers nothing.
#
# **Predict.** Now both get the factor 1.05, and a constant 1 as input. Where does each stand after 2,000
# steps?

# %% id="fir-claim"
ones, growing = np.ones(2000), impulse_response(1.05, 459)
fir_reach = np.count_nonzero(fir(impulse, impulse_response(0.99, 459)))
iir_reach = np.count_nonzero(one_pole(impulse, 0.99))
window_end, loop_end = fir(ones, growing)[-1], one_pole(ones, 1.05)[-1]
print(f"reach: FIR {fir_reach}, IIR all {iir_reach} steps")
print(f"weights 1.05^i: 459 taps end at {window_end:.1e}, the loop is at {loop_end:.1e} after 2,000 steps")
stays = np.isclose(window_end, growing.sum())
claim("one_pole.fir_vs_iir", [fir_reach == 459, iir_reach == 4096, stays, loop_end > 1e30 * window_end])

# %% [markdown]
# An FIR cannot explode: a bounded input times $k$ fixed weights is bounded. The loop needs $|\alpha| < 1$.
#
# ## Match them
#
# The slider ends at 0.99: only a pole inside the circle can be copied, and the nearer it is, the more taps
# it takes. (Needs a kernel; the last figure shows the same.)
#
# **Predict, then move.** For $\alpha = 0.9$, how many taps leave out one per cent, how many 0.01 per cent?
# Then go to 0.99.

# %% id="fir-match"
widgets.fir_match()

# %% id="match-numbers"
for alpha in [0.9, 0.99]:
    one_per_cent, hundredth = taps_to_match(alpha, 1e-2), taps_to_match(alpha, 1e-4)
    print(f"alpha {alpha}: {one_per_cent} taps for at most 1 per cent, {hundredth} for 0.01 per cent")

# %% [markdown]
# What is missing is $\alpha^k$: a further factor of a hundred costs as many taps again. Their number grows
# with the horizon; the loop's one multiplication does not.

# %% [markdown]
# ## A real series
#
# The price of one share, 1047 trading days, smoothed with horizons of a week (4.5 days), a month (19.5)
# and five months (99.5), starting at the first price, $h_0 = x_1$.
#
# First a rule. A value rises by 1 a step, and the average is behind by a *gap*. Each step widens the gap by
# 1, then the average leaves a share $\alpha$ of it. In the end the gap stays:
# $\text{gap} = \alpha\,(\text{gap} + 1)$, so $\text{gap} = \alpha / (1 - \alpha)$, half a step less than the
# horizon.

# %% id="ramp"
ramp = np.arange(3000.0)
for alpha in [0.8, 0.95, 0.99]:
    behind = ramp[-1] - one_pole(ramp, alpha, beta=1 - alpha)[-1]
    print(f"alpha {alpha}: horizon {horizon(alpha):.1f}, {behind:.1f} steps behind a steady rise")

# %% [markdown]
# **Predict** for the share, whose highest price is 742 dollars. Does the slow average reach it? Will it turn
# 99 days after the price, before that, or after?

# %% id="series-figure"
days, price = google_close()
lines = {alpha: one_pole(price, alpha, 1 - alpha, h0=price[0]) for alpha in [0.8, 0.95, 0.99]}
ax = plots.smoothed(days, price, list(lines.values()), [f"alpha {alpha}" for alpha in lines])
plots.show(ax, "The longer the memory, the smoother the line, the lower its peak and the later it turns.")

# %% id="series-numbers"
top = price.argmax()
print(f"price: peak {price[top]:.1f} on {days[top]}, last {price[-1]:.1f}")
for alpha, line in lines.items():
    late, fit = line.argmax() - top, delay(price, line, longest=300)
    print(f"alpha {alpha}: peak {line.max():.1f}, last {line[-1]:.1f}, ", end="")
    print(f"days late: {late} at the peak, {fit} by the best fit")

# %% [markdown]
# <details><summary>What to see, and a surprise</summary>
#
# The week turns a day late, the month 39 trading days, the slow one 50. It tops out at 586.4 where the price
# reached 741.8, makes one bump of the long rise and the fall, and ends at 496 where the share stands at 363.
#
# For a steady rise the delay would be 4, 19 and 99 days; the shift that fits best is 3, 14 and 53. The price
# turns before the slow average has caught up. A filter has one delay for each frequency.
#
# </details>

# %% [markdown]
# **Check yourself.** A flicker of $+1, -1, +1, \dots$ on a sensor should shrink to a tenth or less, and a
# steady rise be reported at most ten steps late. With $\beta = 1 - \alpha$, which factor?
#
# - **a** $\alpha = 0.5$
# - **b** $\alpha = 0.9$
# - **c** $\alpha = 0.999$

# %% id="concept-choice"
concept_check("02.choice", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. The flicker keeps $0.1/1.9 = 0.05$; a steady rise is $0.9/0.1 = 9$ steps late.
#
# </details>

# %% [markdown]
# ## Summary
#
# - A loop with factor $\alpha$ remembers for $\tau = -1/\ln|\alpha|$ steps, nearly $1/(1-\alpha)$: 9.5, 99.5
#   and 1000 for 0.9, 0.99 and 0.999. On a log axis its impulse response has the slope $\ln|\alpha|$.
# - A constant comes out $\beta/(1-\alpha)$ times as large, a sinusoid $\beta/|z - \alpha|$ times; horizon
#   times bandwidth is nearly 1. A steady rise is followed $\alpha/(1-\alpha)$ steps late.
# - The loop costs one multiplication and reaches back without end, but only $|\alpha| < 1$ is stable; 1.001
#   overflows after 88,800 steps. A window of $k$ taps costs $k$ multiplications for $k$ steps (459 to match
#   0.99) and can never explode.
#
# **Two open questions.** With $\alpha = 1$ nothing is lost, but everything is added. What would a loop need
# to keep one value *and* ignore the rest? And a real pole decays or flips, but never swings slowly: where
# would a pole have to lie to do that, and how many numbers would the state need?
#
# **Sources.** The lecture "Recurrent Neural Networks" (EE 641, Unit 4A); share prices from matplotlib's
# sample data (Yahoo Finance).
#
# The exercise is ex02. Next, lesson [03, modes](03_modes.ipynb): more numbers in the state give more poles.
# Which ones?
