# %% [markdown]
# # 04 Adaptive filters
#
# **What happens when gradient descent turns the knob inside a loop?**
#
# After this lesson you can
#
# - say how large the steps of gradient descent may be when it learns the weights of a window, and why some
#   directions are learned late;
# - write the gradient of a loop as a second loop, check it, and say how far back it sees;
# - say what happens when a step carries a pole across the unit circle, how to prevent it, and what no
#   linear loop can ever do.
#
# 60 minutes. You need lesson 02 (pole, taps, horizon), lesson 03 (eigenvalues, axes) and derivatives.

# %% id="imports"
import numpy as np

from course_utils import plots, widgets_adaptive
from course_utils.adaptive import autocorrelation, coloured_noise, lms, mean_path, windows
from course_utils.checks import claim, concept_check
from course_utils.filters import fir, horizon, one_pole
from course_utils.pole_learning import learn_pole, pole_loss, pole_surface, slope_of_pole, tanh_loop
from course_utils.voices import RATE, decibels_left, play, room, voice

rng = np.random.default_rng(4)

# %% [markdown]
# ## By hand
#
# So far we chose every number. Now one is hidden: a box multiplies its input by a number that we do not
# know. We see the inputs $x_t$ and what the box answers, the *targets* $d_t$. We have a weight $w$ of our
# own, the output $y_t = w x_t$ and the **error** $e_t = d_t - y_t$.
#
# Half the squared error, $e_t^2/2$, has the derivative $-e_t x_t$ with respect to $w$. So it falls when $w$
# is moved by a small **step** $\mu$ (mu) times $e_t x_t$:
#
# $$w \leftarrow w + \mu\, e_t\, x_t$$
#
# **Predict.** The box multiplies by 3; $w$ starts at 0, $\mu = 0.1$. Which $w$ do we have after the inputs
# 1 and 2? Use paper.

# %% id="by-hand-steps"
w = 0.0
for x_t in [1, 2]:
    e = 3 * x_t - w * x_t
    w = w + 0.1 * e * x_t
    print(f"error {e:.2f}, weight {w:.2f}")

# %% [markdown]
# <details><summary>What to see</summary>
#
# A step multiplies the distance $3 - w$ by $1 - \mu x_t^2$: by 0.9 for the input 1, by 0.6 for the input 2.
# **A factor once per step**, again. A large input takes a large step.
#
# </details>
#
# ## The loop
#
# With $k$ taps (lesson 02) the input is a *window* $u_t = (x_t, x_{t-1}, \dots, x_{t-k+1})$ and the output
# $y_t = w \cdot u_t$. Each tap moves by $\mu\, e_t$ times its own input. This is **LMS**, *least mean
# squares*. Here are the windows of the inputs 1, 2, 3, 4, then the loop:

# %% id="windows"
print(windows([1, 2, 3, 4], k=3))

# %% shows="course_utils.adaptive.lms" id="the-loop"

# %% [markdown]
# (`normalised` waits for the echo.) The box is now an FIR filter with eight hidden taps, the input *white
# noise*: independent random numbers of power (mean square) 1.

# %% id="identify"
hidden = rng.normal(size=8)
hidden /= np.linalg.norm(hidden)
x = coloured_noise(400, 0, rng)
weights, errors = lms(x, fir(x, hidden), k=8, mu=0.05)
print("hidden ", hidden.round(3))
print("learned", weights[-1].round(3))

# %% [markdown]
# ## A bowl
#
# What does LMS do *on average*? Call $J(w)$ the mean of $e_t^2/2$ over all samples. With $w^*$ the hidden
# taps
#
# $$J(w) = \tfrac12\, (w - w^*) \cdot R\, (w - w^*), \qquad R = \text{mean of } u_t u_t^\top$$
#
# $R$ is the **autocorrelation matrix** of the input: its diagonal is the power of $x$, beside it stands
# the mean product of two neighbours. $J$ is *quadratic*: a bowl with one lowest point. While the steps
# are small, the mean of the LMS update is *steepest descent*, a step straight down the bowl: $w
# \leftarrow w + \mu R\,(w^* - w)$. So the distance $w^* - w$ is multiplied by the matrix $I - \mu R$
# ($I$ is the identity), **a recursion of lesson 03**. Along each axis of $R$ it has the factor $1 -
# \mu\lambda$, with $\lambda$ an eigenvalue of $R$.
#
# **Predict.** For white noise $R = I$ and the bowl is round. *Coloured* noise comes from a one-pole
# filter with $\alpha = 0.9$; the mean product of two neighbours is 0.9. Which shape has its bowl, and
# which way does descent go?

# %% id="bowl-figure"
target = np.array([0.8, -0.4])
w0, w1 = np.linspace(-1, 2, 61), np.linspace(-1.8, 1.2, 61)
off = np.stack(np.meshgrid(w0 - target[0], w1 - target[1]), axis=-1)
for alike, ax in zip([0, 0.9], axes := plots.panels(2), strict=True):
    R = np.array([[1, alike], [alike, 1]])
    J = np.einsum("mni,ij,mnj->mn", off, R, off) / 2
    x = coloured_noise(200, alike, rng)
    noisy, _ = lms(x, fir(x, target) + 0.3 * rng.normal(size=200), k=2, mu=0.05)
    paths = {"steepest descent": mean_path(R, target, 0.3, 40), "LMS": noisy}
    levels = [0.01, 0.1, 0.5, 1, 2]
    plots.error_surface(w0, w1, J, levels, target, ["tap $w_0$", "tap $w_1$"], paths, ax=ax)
plots.show(axes[0], "A round bowl is walked straight; in a long one both paths turn and creep along it.")

# %% [markdown]
# <details><summary>What to see</summary>
#
# The coloured bowl is long: its axes have $\lambda = 1.9$ and $0.1$. Descent goes down the steep side first
# and has not reached the bottom after 40 steps. LMS stumbles along the same way (its targets are noisy
# here).
#
# </details>
#
# ## How large a step?
#
# The mean distance shrinks when all factors are below 1 in size, $|1 - \mu\lambda| < 1$, so
#
# $$0 < \mu < \frac{2}{\lambda_{\max}}$$
#
# For white noise of power 1 all $\lambda$ are 1, and the bound is 2. **Predict.** Eight taps, white noise,
# $\mu = 1$. The factor of the mean is $1 - 1 = 0$: is everything learned in one step?

# %% id="step-figure"
steps = np.array([0.02, 0.05, 0.1, 0.15, 0.2, 0.22, 0.25, 0.3, 0.35])
left_over = np.empty((len(steps), 10))
for run in range(10):
    x = coloured_noise(1000, 0, rng)
    for row, mu in enumerate(steps):
        weights, _ = lms(x, fir(x, hidden), k=8, mu=mu)
        left_over[row, run] = np.linalg.norm(weights[-1] - hidden)
across = np.geomspace(0.02, 2.2, 80)
mean = (across, np.maximum(np.abs(1 - across) ** 1000, 1e-20))
bounds = {"2 / trace(R)": 2 / 8, r"2 / $\lambda_{max}$": 2}
ax = plots.step_sizes(steps, left_over, mean, bounds)
plots.show(ax, "After 1,000 samples the mean is at zero for any step below 2; single runs explode near 0.25.")

# %% [markdown]
# <details><summary>Why single runs explode so early</summary>
#
# One sample speaks about one direction, its window. Along $u_t$ the distance is multiplied by
# $1 - \mu\, u_t \cdot u_t$, in all other directions by 1. The energy $u_t \cdot u_t$ is the sum of $k$
# squares, about $k$ times the power: the *trace* of $R$ (the sum of its diagonal), here 8. Beyond $\mu = 2/8$
# the usual sample overshoots by more than it corrects (the factor passes $-1$). In the mean the overshoots
# cancel; in a run they do not.
#
# </details>
#
# Two bounds, then: the lecture's $2/\lambda_{\max}$ for the mean, and about $2/\operatorname{trace}(R)$ for
# the run that you have.

# %% id="bound-claim"
mean_holds, runs_hold = [], []
for alike in [0, 0.9]:
    R = alike ** np.abs(np.subtract.outer(np.arange(8), np.arange(8)))
    bound = 2 / np.linalg.eigvalsh(R).max()
    ends = [np.linalg.norm(mean_path(R, hidden, f * bound, 600)[-1] - hidden) for f in [0.99, 1.01]]
    print(f"alike {alike}: bound {bound:.3f}; distance {ends[0]:.0e} below, {ends[1]:.0e} above")
    mean_holds.append(ends[0] < 1e-4 and ends[1] > 1e3)
for mu, learns in [(0.2, True), (0.25, False)]:
    rows = [coloured_noise(2000, 0, np.random.default_rng(seed)) for seed in range(10)]
    ends = [np.linalg.norm(lms(x, fir(x, hidden), 8, mu)[0][-1] - hidden) for x in rows]
    print(f"ten runs at {mu}: {sum(e < 1e-6 for e in ends)} learned, {sum(e > 1 for e in ends)} exploded")
    runs_hold.append(max(ends) < 1e-6 if learns else min(ends) > 1)
claim("adaptive.lms_bound", mean_holds + runs_hold)

# %% [markdown]
# **Check yourself.** White noise of power 4 runs through 16 taps. You want single runs to learn. Which is the
# largest step worth a try?
#
# - **a** $2/4 = 0.5$
# - **b** $2/16 = 0.125$
# - **c** $2/64 = 0.03$

# %% id="concept-step"
concept_check("04.step", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **c**. The trace is 16 times 4; 0.5 is the bound of the mean.
#
# </details>
#
# ## The slow axes
#
# A coloured input changes the eigenvalues. **Predict.** Same power, same hidden taps, same step 0.02. White
# noise has the horizon $1/(\mu\lambda) = 50$ samples. How long does coloured noise take?

# %% id="coloured-figure"
curves = []
for alike in [0, 0.9]:
    runs = [coloured_noise(1200, alike, rng) for _ in range(20)]
    away = [np.linalg.norm(lms(x, fir(x, hidden), 8, 0.02)[0] - hidden, axis=1) for x in runs]
    curves.append(np.mean(away, axis=0))
    values = np.linalg.eigvalsh(autocorrelation(np.concatenate(runs), 8))
    late = -500 / np.log(curves[-1][1100] / curves[-1][600])
    print(f"eigenvalues {values.min():.3f} to {values.max():.2f}, late horizon {late:.0f} samples")
ax = plots.shrinking(curves, ["white", "coloured"])
plots.show(ax, "White is a straight line; coloured falls quickly at first, then ever more slowly.")

# %% [markdown]
# The *spread* of the eigenvalues, largest over smallest, is over a hundred. The largest limits the step, the
# smallest decides when we are done: a horizon of $1/(0.02 \cdot 0.056)$, about 900 samples, and the curve
# bends towards that. **The slowest mode sets the time, as in lesson 03.**
#
# ## Turn the step
#
# Five runs and their mean, 200 samples. (Needs a kernel; the figures above show the same.)
#
# **Predict, then move.** White: at which step do runs and mean part? Coloured: at 0.2 the mean is fine. The
# runs?

# %% id="step-dial"
widgets_adaptive.step_dial()

# %% [markdown]
# <details><summary>Answers</summary>
#
# White: the runs are best near 0.1, where they are already far behind the mean; at 0.25 most of them grow,
# while the mean is at its best at 1. Coloured: some runs explode at 0.1 already, although
# $2/\operatorname{trace}(R)$ is 0.25 as before. The energies of coloured windows differ much, and the
# largest one does the damage.
#
# </details>
#
# ## Hear it
#
# You telephone with a loudspeaker. The far voice leaves it, the room adds reflections, and your microphone
# picks up all that, the *echo*, together with your own voice. The room is an FIR filter with unknown taps; we
# know what went into it. So learn its taps and subtract their output: **the error is what is left to send
# back**.
#
# The voices are synthetic: pulses through three resonances, each a pair of complex poles (lesson 03). A
# voice is loud and soft in turn, so the bound on the step changes all the time. *Normalised* LMS divides
# the step by $u_t \cdot u_t$: then $\mu$ is the share of its error that a sample corrects.
#
# For two seconds only the far voice talks, then both.

# %% id="echo-sounds"
talk = np.random.default_rng(6)
far, near = voice(4, 110, talk), voice(4, 200, talk)
near[: 2 * RATE] = 0
echo = fir(far, room(128, talk))
microphone = echo + near
play(microphone, "The microphone: two seconds of echo, then a higher voice on top of it.")

# %% [markdown]
# **Predict.** After two seconds the taps fit. Should the *canceller* (the learned taps and the
# subtraction) go on learning while you talk, or stop? (In the figure, *decibels*: $-20$ is a tenth of
# the size, $-40$ a hundredth.)

# %% id="echo-figure"
weights, learning = lms(far, microphone, k=128, mu=0.5, normalised=True)
frozen = microphone - fir(far, weights[2 * RATE - 1])
left = [decibels_left(echo, sound - near, RATE // 4) for sound in [learning, frozen]]
ax = plots.echo_left(np.arange(16) / 4 + 0.125, left, ["goes on learning", "frozen after 2 s"], both=2)
plots.show(ax, "Learning removes the echo while the far voice is alone, and brings it back when both talk.")

# %% id="echo-gone"
play(frozen, "The frozen canceller: two seconds of near silence, then the higher voice alone.")
ax = plots.waves(RATE, {"microphone": microphone, "frozen canceller": frozen})
plots.show(ax, "The echo of the first two seconds is gone; what is left from then on is the near voice.")

# %% [markdown]
# Your voice is no fault of the taps, but LMS takes it for one and moves them. A telephone stops learning when
# both talk.
#
# ## One pole instead of taps
#
# A room of two seconds needs 16,000 taps (8,000 samples a second). A loop reaches back without end with
# **one** number. Can that be learned as well? $y_t = \alpha y_{t-1} + \beta x_t$, $y_0 = 0$; we need the
# derivative of $y_t$ with respect to $\alpha$. The pole acts twice: in this step, and in all that made
# $y_{t-1}$. The product rule gives both:
#
# $$\frac{dy_t}{d\alpha} = y_{t-1} + \alpha\, \frac{dy_{t-1}}{d\alpha}$$
#
# **The derivative has a state of its own.** It is another one-pole filter with the same $\alpha$; its input
# is the output of the first. For $\beta$ the input is $x_t$ itself.

# %% shows="course_utils.pole_learning.slope_of_pole" id="gradient-loop"

# %% [markdown]
# **Predict.** $\alpha = 0.9$ and a single 1. The output begins at 1 and decays. When is the derivative
# largest, and what does it do on a log axis?

# %% id="gradient-figure"
impulse = np.append(1.0, np.zeros(119))
y, slope, _ = slope_of_pole(impulse, alpha=0.9)
ax = plots.impulse([y, slope], ["output", "derivative"], log=True)
plots.show(ax, "The derivative rises for ten steps, then it falls and becomes parallel to the output.")
print(f"largest {slope.max():.3f} at step {slope.argmax()}, horizon {horizon(0.9):.1f}")

# %% [markdown]
# <details><summary>Why</summary>
#
# $y_t = \alpha^t$, so the derivative is $t\,\alpha^{t-1}$: the numbers of lesson 03's defective matrix, 3.87
# at step 9. Output and derivative *are* that matrix: $(y, dy/d\alpha)$ is multiplied by
# $\begin{pmatrix} \alpha & 0 \\ 1 & \alpha \end{pmatrix}$. A move of the pole shows most one horizon after
# the input. In the end the gradient forgets like the filter: **a loop that forgets cannot be told about what
# it forgot**.
#
# </details>
#
# Three witnesses on a random input: the recursion, a difference quotient, and the filter applied to its own
# delayed output.

# %% id="gradient-claim"
x, h = rng.normal(size=400), 1e-6
agree = []
for alpha in [0.9, -0.7, 0.99]:
    y, slope, _ = slope_of_pole(x, alpha, beta=0.5)
    quotient = (one_pole(x, alpha + h, 0.5) - one_pole(x, alpha - h, 0.5)) / (2 * h)
    refiltered = one_pole(np.append(0, y[:-1]), alpha)
    print(f"alpha {alpha}: {slope[-1]:.3f} {quotient[-1]:.3f} {refiltered[-1]:.3f}")
    agree += [np.allclose(slope, quotient, atol=1e-4), np.allclose(slope, refiltered)]
t = np.arange(1, 120)
closed = t * 0.9 ** (t - 1)
agree.append(np.allclose(slope_of_pole(impulse, 0.9)[1][1:], closed, rtol=1e-9))
claim("adaptive.pole_gradient", agree)

# %% [markdown]
# **Check yourself.** $\alpha = 0.99$, a single 1. When is $dy_t/d\alpha$ largest?
#
# - **a** at once
# - **b** about 100 steps later
# - **c** never, it goes on growing

# %% id="concept-gradient"
concept_check("04.gradient", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**, one horizon later.
#
# </details>
#
# ## The surface of a pole
#
# A hidden filter, $\alpha = 0.9$, $\beta = 0.5$, answers 300 samples of white noise. $J(\alpha, \beta)$ is
# again the mean of $e_t^2/2$; gradient descent moves both numbers by $\mu$ times the mean of $e_t$ times
# their derivatives.
#
# **Predict.** Is $J$ a bowl? Start at $\alpha = 0.2$, $\beta = 0.1$: what will the steps 0.02 and 0.2 do?

# %% id="valley-figure"
x = np.random.default_rng(4).normal(size=300)
d = one_pole(x, 0.9, 0.5)
alphas, betas = np.linspace(-0.1, 1.1, 121), np.linspace(0, 1, 101)
J = pole_surface(x, d, alphas, betas)
paths = {f"step {mu}": learn_pole(x, d, (0.2, 0.1), mu, updates=400)[0] for mu in [0.02, 0.2]}
names = [r"pole $\alpha$", r"gain $\beta$"]
levels = [0.01, 0.05, 0.2, 0.5, 2, 20]
ax = plots.error_surface(alphas, betas, J, levels, (0.9, 0.5), names, paths, legend="upper left")
plots.show(ax, "A plain, a bent narrow valley, a wall near 1; the large step bounces and is thrown out.")

# %% id="valley-numbers"
for name, path in paths.items():
    print(f"{name}: after {len(path) - 1} updates alpha {path[-1, 0]:.4g}, beta {path[-1, 1]:.4g}")
at = [0.3, 0.6, 0.9, 0.95, 1.0, 1.02]
for alpha, height in zip(at, pole_surface(x, d, at, [0.5])[0], strict=True):
    print(f"J at alpha {alpha}, beta 0.5: {height:.3f}")

# %% [markdown]
# No bowl. On the left the surface is a nearly level plain: a short memory is a bad copy of a long one,
# whatever its length. The valley is bent: $\beta$ has to shrink as $\alpha$ grows. And close to 1 there is
# a wall, since the output grows without bound there. At 1.02 the error power is 14,000 times that at 0.6.
#
# A quadratic has one curvature everywhere, a pole does not: the second differences of $J$ along a line.

# %% id="quadratic-claim"
line, direction = np.linspace(-0.5, 0.95, 30), rng.normal(size=8)
heard = fir(x, hidden)
along = [np.mean((heard - fir(x, hidden + s * direction)) ** 2) / 2 for s in line]
bowl, valley = np.diff(along, 2), np.diff(pole_surface(x, d, line, [0.5])[0], 2)
print(f"taps: {bowl.min():.5f} to {bowl.max():.5f}; pole: {valley.min():.5f} to {valley.max():.5f}")
lowest = [betas[np.argmin(pole_surface(x, d, [alpha], betas))] for alpha in [0.6, 0.8, 0.9, 0.95, 0.98]]
print("best beta for alpha 0.6, 0.8, 0.9, 0.95, 0.98:", np.round(lowest, 2).tolist())
one_minimum = np.linalg.eigvalsh(autocorrelation(x, 8)).min() > 0
bent = np.ptp(np.diff(lowest) / np.diff([0.6, 0.8, 0.9, 0.95, 0.98])) > 1
wall = np.divide(*pole_surface(x, d, [1.02, 0.6], [0.5])[0]) > 1000
claim("adaptive.fir_quadratic", [np.allclose(bowl, bowl[0]), np.ptp(valley) > 0.1, one_minimum, bent, wall])

# %% [markdown]
# Near its lowest point even the valley is a bowl, with a bound $2/\lambda_{\max}$ of its own. $\lambda$ are
# now the eigenvalues of the matrix of second derivatives; we take differences of the gradient. **Predict.**
# Where is the bound largest: on the plain, at the bottom or at the wall?

# %% id="curvature"
for alpha, beta in [(0.2, 0.1), (0.9, 0.5), (0.95, 0.5)]:
    moved = [(alpha + h, beta), (alpha - h, beta), (alpha, beta + h), (alpha, beta - h)]
    g = [pole_loss(x, d, *point)[1] for point in moved]
    curvature = np.array([g[0] - g[1], g[2] - g[3]]) / (2 * h)
    largest = np.linalg.eigvalsh((curvature + curvature.T) / 2).max()
    print(f"at alpha {alpha}, beta {beta}: bound {2 / largest:.4f}")

# %% [markdown]
# One step has to serve plain and wall. 0.02 is just small enough for the bottom, so it needs many
# updates for the plain; 0.2 suits the plain, but close to the bottom it overshoots, and from 0.985 it
# was thrown to $-88.9$.
#
# ## One step across
#
# **Predict.** Output and derivative over 60 steps, at 0.985 and, one update later, at $-88.9$.

# %% id="across-figure"
before, after = paths["step 0.2"][-2:]
runs = [slope_of_pole(x[:60], *weights) for weights in [before, after]]
labels = ["output, 0.985", "derivative, 0.985", "output, -88.9", "derivative, -88.9"]
ax = plots.shrinking([*runs[0][:2], *runs[1][:2]], labels, across="step t", up="size")
plots.show(ax, "Inside the circle both stay below 100; outside both grow by a factor of about 90 a step.")

# %% id="circle-claim"
growth = [np.exp(np.polyfit(np.arange(30), np.log(np.abs(row[30:])), 1)[0]) for row in runs[1][:2]]
inside, outside = pole_loss(x, d, *before), pole_loss(x, d, *after)
print("pole", after[0].round(1), "- factor a step of output and derivative:", np.round(growth, 1))
print(f"J {inside[0]:.2f}, then {outside[0]}; dJ/dalpha {inside[1][0]:.0f}, then {outside[1][0]}")
crossed = [abs(before[0]) < 1 < abs(after[0]), np.allclose(growth, abs(after[0]), rtol=0.05)]
claim("adaptive.unit_circle", [*crossed, np.isfinite(inside[0]), not np.isfinite(outside[1]).any()])

# %% [markdown]
# $J$ was 5.4, then infinite: the warning is short. The gradient that should bring the pole back is no
# number any more; it explodes **because it is a loop with the same factor**. Lesson 07 meets this again
# with a matrix, lesson 08 cuts such steps short.
#
# ## Stay inside
#
# Two guards, both at step 0.2:
#
# - **projection**: an $\alpha$ beyond 0.95 is put back to 0.95. Not to 1: there nothing is forgotten, and the
#   next update would start from the wall;
# - **a parametrisation that cannot leave**: learn $a$ and use $\alpha = \tanh(a)$, which lies between $-1$
#   and 1. The chain rule multiplies the derivative by $1 - \alpha^2$.
#
# **Predict.** Which of them arrives at 0.9?

# %% id="guards-figure"
guards = {"free": {}, "put back to 0.95": {"limit": 0.95}, "tanh(a)": {"inside": True}}
learned = [learn_pole(x, d, (0.2, 0.1), 0.2, 150, **guard)[0][:, 0] for guard in guards.values()]
ax = plots.poles_learned(learned, list(guards), target=0.9)
plots.show(ax, "The free pole leaves at update 14; projection stays inside but never settles; tanh arrives.")

# %% [markdown]
# One row of noise proves little. Ten others:

# %% id="guards-numbers"
for name, guard in guards.items():
    left_circle = arrived = 0
    for seed in range(10, 20):
        noise = np.random.default_rng(seed).normal(size=300)
        path, heights = learn_pole(noise, one_pole(noise, 0.9, 0.5), (0.2, 0.1), 0.2, 150, **guard)
        left_circle += np.abs(path[:, 0]).max() > 1
        arrived += heights[-1] < 1e-3
    print(f"{name}: {left_circle} of 10 left the circle, {arrived} of 10 arrived")

# %% [markdown]
# <details><summary>Why projection alone does not settle</summary>
#
# It keeps the filter stable, but the step is still too large for the bottom. The tanh does more: near the
# circle $1 - \alpha^2$ is small, at 0.9 it is 0.19, and it enters twice, in the derivative and in what a
# move of $a$ does to $\alpha$. So the step shrinks exactly where the wall is. The price: close to 1 it
# moves slowly.
#
# </details>
#
# ## Walk the valley
#
# Step, start and guard of your choice. (Needs a kernel; the last figures show three walks.)
#
# **Predict, then move.** Without a guard, from which step on does the walk from 0.2 leave the circle? And a
# walk from 0.95? With tanh, is a start at $-0.9$ as good as one at $-0.5$?

# %% id="pole-walk"
widgets_adaptive.pole_walk(x, d, bottom=(0.9, 0.5))

# %% [markdown]
# <details><summary>Answers</summary>
#
# From 0.2 the walk settles up to 0.025, bounces above and leaves at every step from 0.1 on. From 0.95, on
# the wall, it leaves at 0.025 already, within three updates. With tanh and step 0.1 the start at $-0.5$
# arrives; from $-0.9$ the pole has come to $-0.75$ after 200 updates: near the circle the guard slows the
# way in as well.
#
# </details>
#
# ## What no linear loop can do
#
# A filter adds up weighted inputs, so **the answer to a sum is the sum of the answers**, and three times
# the input gives three times the output: *superposition*. That forbids a *threshold* (ignore what is
# small), a *gate* (let one input decide whether another counts) and a *latch* (switch over, then hold). One
# `tanh` in the loop changes that:
#
# $$h_t = \tanh(2\, h_{t-1} + x_t)$$
#
# **Predict.** Inputs 0.1, then $-1$, then $-3$, then 0.1, each once, with 14 steps of zero between them.
# The linear loop $h_t = 2 h_{t-1} + x_t$ would explode. What does this one do?

# %% id="latch-figure"
pulses = np.zeros(60)
pulses[[2, 17, 32, 47]] = 0.1, -1, -3, 0.1
held = tanh_loop(pulses)
ax = plots.states([held], ["state"], inputs=pulses)
plots.show(ax, "0.1 switches it on, -1 makes a dent, -3 switches it over, the last 0.1 is ignored.")
print("before each pulse and at the end:", held[[1, 16, 31, 46, 59]].round(4))

# %% [markdown]
# <details><summary>What to see</summary>
#
# At 0 the tanh has the slope 1, so the loop has the factor 2 and the smallest push grows. It ends at
# 0.9575, where $h = \tanh(2h)$; there the slope is 0.083, the factor 0.17, and dents heal quickly. Only a
# push beyond $-2 \cdot 0.9575$ changes the sign. **The factor depends on the state**: it grows where
# nothing is stored, it holds where something is.
#
# </details>

# %% id="superposition-claim"
triples = []
for alpha, beta in rng.uniform(-1.1, 1.1, size=(100, 2)):
    once, thrice = one_pole(pulses, alpha, beta), one_pole(3 * pulses, alpha, beta)
    triples.append(np.allclose(thrice, 3 * once, rtol=1e-9))
late = np.append([1.0], np.zeros(500))
latches = tanh_loop(late)[-1] > 0.95 and tanh_loop(-late)[-1] < -0.95
ignores = np.isclose(held[46], held[59], atol=1e-6) and held[31] > 0.95 and held[46] < -0.95
not_tripled = not np.allclose(tanh_loop(3 * pulses), 3 * held)
claim("adaptive.superposition", [*triples, latches, ignores, not_tripled])

# %% [markdown]
# **Check yourself.** A sensor should be ignored below 1 and answered above. Which one-pole filter does
# that?
#
# - **a** one with $\alpha$ close to 1
# - **b** one with a small $\beta$
# - **c** none

# %% id="concept-latch"
concept_check("04.latch", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **c**. Half the input gives half the output.
#
# </details>
#
# ## Summary
#
# - The taps of a window make a bowl. The mean distance of LMS has the factor $1 - \mu\lambda$ along each axis
#   of $R$ and shrinks for steps below $2/\lambda_{\max}$; single runs explode near
#   $2/\operatorname{trace}(R)$ or before. Coloured input makes slow axes.
# - The gradient of a loop is a loop with the same factor and a state of its own: for an impulse
#   $t\,\alpha^{t-1}$, largest one horizon later. It forgets as the filter forgets.
# - $J(\alpha, \beta)$ has a plain, a bent valley and a wall. One step across $|\alpha| = 1$, and output and
#   gradient explode. Projection keeps the pole inside, tanh also shortens the steps. No linear loop has a
#   threshold, a gate or a latch.
#
# **Two open questions.** The derivative ran forward beside the filter, one loop for each weight. What would
# that cost with a million weights, and could one loop serve all? And if a gradient forgets as fast as the
# loop, how could it ever ask for a longer memory?
#
# **Sources.** The lecture "Recurrent Neural Networks" (EE 641, Unit 4A); B. Widrow and M. Hoff (1960) for
# LMS; G. Peterson and H. Barney (1952) for the resonances of the voices.
#
# The exercise is ex04. Gradient descent through a loop, and a loop with a tanh: **this is training a
# recurrent network with one weight**. Next, lesson [05, the plain RNN](05_rnn.ipynb), gives it a matrix.
