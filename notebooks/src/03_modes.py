# %% [markdown]
# # 03 Modes
#
# **H numbers and one matrix: how many memories?**
#
# After this lesson you can
#
# - take a matrix recursion apart into factors that each act alone, and say what each one does;
# - read horizon and period off an eigenvalue, and say when the slowest one speaks for all;
# - say why a state may grow for a while although every eigenvalue is below one, and which number warns you.
#
# 50 minutes. You need lesson 02 (factor, horizon, the arrow in the complex plane) and a matrix times a
# vector.

# %% id="imports"
import numpy as np

from course_utils import plots, widgets_modes
from course_utils.checks import claim, concept_check
from course_utils.filters import horizon
from course_utils.modes import (
    coordinates,
    free_run,
    largest_growth,
    lengths,
    matrix_states,
    modes,
    spectral_radius,
    swing,
)

rng = np.random.default_rng(3)

# %% [markdown]
# ## By hand
#
# Now the state $h$ has **two** numbers, and each new number is a mix of both old ones. The weights of the mix
# are the rows of a matrix:
#
# $$h_t = A\, h_{t-1}, \qquad A = \begin{pmatrix} 0.8 & 0.1 \\ 0.1 & 0.8 \end{pmatrix}$$
#
# **Predict.** Two steps each from the starts $(1, 1)$, $(1, -1)$ and $(1, 0)$. Use paper. Which of the three
# look like lesson 02?

# %% id="by-hand"
A = np.array([[0.8, 0.1], [0.1, 0.8]])
for start in [(1, 1), (1, -1), (1, 0)]:
    print(start, "->", *free_run(A, start, 2)[1:].round(4).tolist())

# %% [markdown]
# <details><summary>What to see</summary>
#
# The first is multiplied by 0.9 at every step, the second by 0.7. The third is mixed. But it is half the
# first start plus half the second, and the step is linear, so after $t$ steps it is
# $\tfrac12\, 0.9^t\, (1, 1) + \tfrac12\, 0.7^t\, (1, -1)$.
#
# </details>
#
# A direction that a matrix only stretches, $A v = \lambda v$, is an *eigenvector* of the matrix, here called
# an **axis**; its factor $\lambda$ (lambda) is an *eigenvalue*. An axis with its factor is a **mode**. An
# $H \times H$ matrix has $H$ eigenvalues, some perhaps equal.

# %% [markdown]
# ## The loop
#
# With inputs, $d$ numbers a step that enter through a matrix $B$ of shape $(H, d)$:
#
# $$h_t = A\, h_{t-1} + B\, x_t$$

# %% shows="course_utils.modes.matrix_states" id="the-loop"

# %% [markdown]
# One step costs $H^2 + Hd$ multiplications. Put into itself $t$ times, the loop becomes a sum, as in lesson
# 02, with powers of a matrix in place of powers of $\alpha$:
#
# $$h_t = A^t h_0 + \sum_{i=0}^{t-1} A^i B\, x_{t-i}$$

# %% id="closed-form"
W, B = rng.normal(size=(3, 3)) / 3, rng.normal(size=(3, 2))
h0, x = rng.normal(size=3), rng.normal(size=(40, 2))
powers = [np.linalg.matrix_power(W, i) for i in range(41)]
newest_first = x[::-1]
closed = powers[40] @ h0 + sum(powers[i] @ B @ newest_first[i] for i in range(40))
loop = matrix_states(W, x, B, h0)[-1]
print("loop", loop.round(6), " closed form", closed.round(6))

# %% [markdown]
# ## Change the axes
#
# Measure the state along the axes instead. Put them side by side as the columns of a matrix $V$, and write
# $h = V c$: the *coordinates* $c = V^{-1} h$ say how much of each axis is in $h$. One step multiplies each
# coordinate by its factor, and that is all:
#
# $$c_t = \begin{pmatrix} \lambda_1 & & \\ & \ddots & \\ & & \lambda_H \end{pmatrix} c_{t-1} +
# V^{-1} B\, x_t$$
#
# The coupling is gone. **$H$ numbers and one matrix are $H$ separate loops of lesson 02**, each with its own
# factor. An input reaches mode $i$ as strongly as row $i$ of $V^{-1}B$ says.
#
# `modes` asks `np.linalg.eig` for factors and axes and sorts them, slowest first. Each axis has length 1, so
# $(1, 0)$ has the coordinates 0.71 and 0.71.
#
# **Predict.** From $(1, 0)$: which path does the state take in the plane? What shape do the two coordinates
# have on a log axis?

# %% id="axes-figure"
factors, axes = modes(A)
path = free_run(A, (1, 0), 25)
c = coordinates(path, axes)
left, right = plots.panels(2)
plots.phase_plane([path], axes, ["0.9", "0.7"], ax=left)
plots.over_time(c.T, ["factor 0.9", "factor 0.7"], what="coordinate", ax=right)
plots.show(left, "The state runs onto the axis of 0.9 (left); its coordinates are straight lines (right).")

# %% [markdown]
# The faster coordinate dies first, so the state bends onto the slower axis and slides along it to zero.
#
# The lecture's claim: each coordinate is multiplied by its own factor, and by nothing else. We test it on the
# matrix of the loop above and on a fresh one for five numbers. Two factors of the second are complex, of
# which more below; the rule is the same:

# %% id="closed-form-claim"
agree = [np.allclose(loop, closed, rtol=1e-9)]
for matrix in [W, rng.normal(size=(5, 5)) / 3]:
    run = free_run(matrix, rng.normal(size=len(matrix)), 60)
    factors, axes = modes(matrix)
    c = coordinates(run, axes)
    print("factors", factors.round(2))
    alone = c[0] * factors ** np.arange(61)[:, None]
    agree.append(np.allclose(c, alone, rtol=1e-9, atol=1e-12))
claim("modes.closed_form", agree)

# %% [markdown]
# It must be $V^{-1}$. The transpose $V^\top$ does the same only when the axes stand at right angles, as they
# do for every symmetric matrix, so a symmetric example will not show the mistake.

# %% [markdown]
# **Check yourself.** A matrix has the factors 0.9 (horizon 9.5) and 0.5 (horizon 1.4). The start lies exactly
# on the axis of 0.5. After how many steps is 0.37 of it left?
#
# - **a** 9.5, for the slowest factor decides
# - **b** 1.4
# - **c** something between the two

# %% id="concept-axis"
concept_check("03.axis", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. The other coordinate is zero and stays zero. The slower memory is there, but nothing was written to
# it.
#
# </details>

# %% [markdown]
# ## Three portraits
#
# The lecture's three matrices and their factors:

# %% id="three-matrices"
A1 = np.array([[0.8, 0.1], [0.1, 0.7]])
A2 = np.array([[0.9, 0.3], [-0.3, 0.9]])
A3 = np.array([[1.1, 0.2], [0.2, 0.7]])
for name, matrix in [("A1", A1), ("A2", A2), ("A3", A3)]:
    print(name, "factors", modes(matrix)[0].round(3))

# %% [markdown]
# The second pair is complex. No direction of the plane is only stretched. A complex number of size $r$ at the
# angle $\theta$ (theta), $\lambda = r e^{\mathrm{i}\theta} = r\cos\theta + \mathrm{i}\, r\sin\theta$, makes
# an arrow $r$ times as long **and** turns it by $\theta$; under A2 the state does the same. A real matrix has
# complex factors in pairs $r e^{\pm\mathrm{i}\theta}$, whose imaginary parts cancel: a pair takes two numbers
# of the state.
#
# **Predict** from the factors, before you run the cell: sketch where a few starts on a circle go under each
# of the three.

# %% id="portraits-figure"
angles = np.radians([50, 82, 150, 230, 262, 330])
starts = np.column_stack([np.cos(angles), np.sin(angles)])
first, second, third = plots.panels(3, width=3.3)
runs = [[free_run(A1, h, 20) for h in starts], [free_run(A2, h, 40) for h in starts[::3]]]
plots.phase_plane(runs[0], modes(A1)[1], ["0.86", "0.64"], "A1: decay", ax=first)
plots.phase_plane(runs[1], title="A2: spiral", ax=second)
runs.append([free_run(A3, h, 5) for h in starts])
plots.phase_plane(runs[2], modes(A3)[1], ["1.18", "0.62"], "A3: growth along an axis", ax=third)
plots.show(first, "A1 draws all starts to zero, A2 in 2 turns; A3 sends them out along its axis of 1.18.")

# %% [markdown]
# Now measured on the states. For the spiral, read the two numbers of a state as one complex number; a state
# divided by the one before is the factor of that step. $360°$ over the angle is the **period**, the steps of
# a full turn.

# %% id="portraits-claims"
along = coordinates(runs[0][0], modes(A1)[1])
claim("modes.A1", [np.isrealobj(along), np.all(np.abs(along[1:]) < np.abs(along[:-1]))])
z = runs[1][0] @ [1, 1j]
ratio = z[1:] / z[:-1]
claim("modes.A2_radius", np.abs(ratio).mean())
claim("modes.A2_angle", np.degrees(np.abs(np.angle(ratio))).mean())
claim("modes.A2_period", 2 * np.pi / np.abs(np.angle(ratio)).mean())
grows, decays = np.abs(coordinates(runs[2][0], modes(A3)[1])).T
claim("modes.A3", [np.all(np.diff(grows) > 0), np.all(np.diff(decays) < 0), modes(A3)[0][0] > 1])

# %% [markdown]
# **Predict.** Under A3 a start exactly on the axis of 0.62 decays to zero, on paper. In the computer, too?

# %% id="last-digit"
size = lengths(free_run(A3, modes(A3)[1][:, 1], 400))
print("below 1e-9 on the way:", size.min() < 1e-9, " longer than 1 after 400 steps:", size[-1] > 1)

# %% [markdown]
# <details><summary>What happened</summary>
#
# Rounding put a last digit on the other axis, and 1.18 a step makes a state of it. One factor outside the
# circle is enough.
#
# </details>

# %% [markdown]
# ## Radius and angle
#
# A pair of factors $r e^{\pm\mathrm{i}\theta}$ shows itself in the state as
#
# $$r^t \cos(\theta t)$$
#
# a swing inside an *envelope* $r^t$. So lesson 02's question is answered: what swings slowly is a pair of
# factors near $+1$ but off the real line, and it takes two numbers.
#
# **Predict.** Left, the angle is 18° twice and the radius 0.95 and 0.99; right, the radius is 0.95 twice and
# the angle 18° and 6°. Which panel has two horizons, which two periods?

# %% id="radius-angle-figure"
left, right = plots.panels(2)
for ax, pairs in [(left, [(0.95, 18), (0.99, 18)]), (right, [(0.95, 18), (0.95, 6)])]:
    rows = [swing(r, np.radians(theta), 60) for r, theta in pairs]
    sizes = [swing(r, 0, 60) for r, _ in pairs]
    plots.swings(rows, sizes, [f"r = {r}, {theta}°" for r, theta in pairs], ax=ax)
plots.show(left, "Left, one period of 20 steps, two envelopes; right, one envelope, periods 20 and 60.")

# %% [markdown]
# Horizon and period are two separate things:
#
# $$\tau = \frac{-1}{\ln r} \qquad\qquad \text{period} = \frac{2\pi}{|\theta|}$$
#
# The angle has no say in the horizon, so neither has the real part $r\cos\theta$, which mixes the two.
#
# ## Set them apart
#
# Two sliders, one factor. (They need a running kernel; the figure above makes the same point.)
#
# **Predict, then move.** At a radius of 0.9, which angle gives a period of 4? What is left after one turn
# then, and what at a period of 40? Which slider moves the envelope?

# %% id="mode-dial"
widgets_modes.mode_dial()

# %% [markdown]
# <details><summary>Answers</summary>
#
# 90°; $0.9^4 = 0.66$. At 9° the period is 40 and $0.9^{40} = 0.015$ is left: the swing is over before it has
# turned once. Only the radius moves the envelope. At 180° the pair meets at $-r$: the flip of lesson 02.
#
# </details>

# %% [markdown]
# **Check yourself.** A factor has radius 0.98 and angle 60°, so its real part is 0.49. What is its horizon?
#
# - **a** 1.4 steps, for $0.49$ halves it at every step
# - **b** 49.5 steps
# - **c** 6 steps, one full turn

# %% id="concept-complex"
concept_check("03.complex", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**, $-1/\ln 0.98$. The swing passes zero soon, and comes back.
#
# </details>

# %% [markdown]
# ## The slowest mode
#
# What does the whole state remember? Three modes, 0.95, 0.8 and 0.5, with axes at right angles. The start has
# the coordinates 1, 4 and 8: the fast ones begin largest.
#
# **Predict.** By which factor a step does the length $|h_t|$ (the root of the sum of the squares) fall at the
# start, and by which in the end?

# %% id="slowest-figure"
V = np.linalg.qr(rng.normal(size=(3, 3)))[0]
S = V @ np.diag([0.95, 0.8, 0.5]) @ V.T
run = free_run(S, V @ [1, 4, 8], 35)
rows = [lengths(run), *coordinates(run, V).T]
names = ["length", "factor 0.95", "factor 0.8", "factor 0.5"]
ax = plots.over_time(rows, names, "size", legend="lower left")
plots.show(ax, "The length of the state leaves the fast modes within 20 steps and follows 0.95 from then on.")
print("factors of steps 1, 10, 20:", (rows[0][[1, 10, 20]] / rows[0][[0, 9, 19]]).round(3))

# %% [markdown]
# First a mix, 0.58; from step 20 on nearly 0.95.
#
# The largest size of an eigenvalue is the **spectral radius** $\rho$ (rho). Unless the start has nothing
# of the slowest mode, in the end a step multiplies the length by $\rho$ (on average, if the state
# swings), so the memory of the whole lasts $-1/\ln\rho$ steps. Measured as in lesson 02, by the slope of
# a line through $\ln|h_t|$, late in the run:

# %% id="slowest-claim"
wide = rng.normal(size=(8, 8))
agree = []
wide *= 0.97 / spectral_radius(wide)
t = np.arange(100, 301)
for name, matrix in [("A1", A1), ("A2", A2), ("three modes", S), ("8 x 8", wide)]:
    size = lengths(free_run(matrix, rng.normal(size=len(matrix)), 300))[100:]
    measured, formula = -1 / np.polyfit(t, np.log(size), 1)[0], horizon(spectral_radius(matrix))
    print(f"{name}: measured {measured:.2f}, -1/ln(rho) {formula:.2f} steps")
    agree.append(np.isclose(measured, formula, rtol=0.01))
claim("modes.slowest_sets_memory", agree)

# %% [markdown]
# "In the end" can be late. Compared with the mode of $\lambda_1$, that of $\lambda_2$ shrinks like
# $|\lambda_2 / \lambda_1|^t$. **Predict.** Both begin equal, with $\lambda_1 = 0.95$. When is the second mode
# down to one per cent of the first, for $\lambda_2 = 0.5$, 0.9 and 0.94?

# %% id="how-far-behind"
for other in [0.5, 0.9, 0.94]:
    steps = np.log(0.01) / np.log(other / 0.95)
    print(f"{other}: horizon {horizon(other):.1f}, below one per cent after {steps:.0f} steps")

# %% [markdown]
# 0.95 itself has a horizon of 19.5. After that time the mode of 0.5 is gone, but that of 0.9 still stands at
# a third of the first. So the slowest mode speaks for all within its own horizon only if the others have
# horizons at least five times shorter (then 2 per cent of them is left). Otherwise the state has several
# memories, and that may be just what is wanted.

# %% [markdown]
# ## When the axes fail
#
# All went well because every start is a sum of arrows along the axes. Here is a matrix with the factor 0.9
# twice and **one** axis, $(1, 0)$; it is called *defective*:
#
# $$D = \begin{pmatrix} 0.9 & 1 \\ 0 & 0.9 \end{pmatrix}$$
#
# **Predict.** Start $(0, 1)$, length 1. How long is the state after 9 steps? $0.9^9 = 0.39$.

# %% id="defective"
D = np.array([[0.9, 1], [0, 0.9]])
size = lengths(free_run(D, (0, 1), 1001))
print(f"largest {size.max():.2f} at step {size.argmax()}, at step 34 {size[34]:.2f}, at 35 {size[35]:.2f}")
for t in [10, 100, 1000]:
    print(f"factor of the step after {t}: {size[t + 1] / size[t]:.4f}")

# %% [markdown]
# <details><summary>Why 3.9</summary>
#
# The second number is $0.9^t$, and every step hands all of it to the first, which adds up to
# $t \cdot 0.9^{t-1}$. First $t$ grows faster, then the power shrinks faster. What still holds: in the end a
# step multiplies by nearly 0.9, the spectral radius. But "in the end" is late.
#
# </details>
#
# Exactly equal factors are rare. Nearly parallel axes are not:
#
# $$N = \begin{pmatrix} 0.95 & 5 \\ 0 & 0.8 \end{pmatrix}$$
#
# **Predict.** Its factors are 0.95 and 0.8. The start is $(0, 1)$ again: how long does the state get?

# %% id="nearly-parallel"
N = np.array([[0.95, 5], [0, 0.8]])
factors, axes = modes(N)
apart = np.degrees(np.arccos(abs(axes[:, 0] @ axes[:, 1])))
print("factors", factors, f"axes {apart:.2f} degrees apart")
print("coordinates of (0, 1):", coordinates([0, 1], axes).round(1))
size = lengths(free_run(N, (0, 1), 100))
print("length after 0, 1, 9, 50, 100 steps:", size[[0, 1, 9, 50, 100]].round(2))

# %% [markdown]
# The start has length 1, but its coordinates are 33 and $-33$: two long arrows that nearly cancel. Each
# decays, as it should. But the fast one decays first, nothing cancels the slow one any more, and the length
# **grows 16.5-fold** before it falls. Both factors were below one all the time.
#
# So how far can a step stretch? Send the circle of all starts of length 1 through the matrix: it becomes an
# ellipse. Half its longest diameter is the largest **singular value** $\sigma_1$ (sigma) of the matrix, the
# largest factor a single step can have. For $t$ steps at once it is $\sigma_1$ of $A^t$. **Predict** it for
# one step of $N$, and for a matrix with the same factors and axes at right angles.

# %% id="growth-figure"
left, right = plots.panels(2)
plots.stretched_circles([np.diag([0.95, 0.8]), N], ["axes at 90°", "axes at 1.7° (N)"], ax=left)
kinds = [np.diag([0.95, 0.8]), D, N]
growth = [largest_growth(matrix, 120) for matrix in kinds]
plots.over_time(growth, ["90°", "D", "N"], "largest possible length", level=1, ax=right)
plots.show(left, "One step stretches by 0.95 at most, or by 5.15 (left); N grows 16.5-fold, then decays.")
for name, matrix in zip(["90°", "D", "N"], kinds, strict=True):
    print(f"{name}: rho {spectral_radius(matrix):.2f}, sigma_1 {np.linalg.norm(matrix, 2):.2f}")

# %% [markdown]
# - **Eigenvalues say where it ends**: all three lines fall in the end, at the pace of $\rho$.
# - **Singular values say what may happen on the way**: no step stretches by more than $\sigma_1$, so
#   $|h_t| \le \sigma_1^t\, |h_0|$. With $\sigma_1 < 1$ no start ever grows.
# - With axes at right angles the two agree, $\sigma_1 = \rho$. A matrix of this kind is called *normal*; all
#   three of the lecture's are.
#
# ## Tilt the axes
#
# The factors stay, only the angle between the axes changes; the start is always $(0, 1)$. (Needs a kernel;
# the last figure shows three such matrices without one.)
#
# **Predict, then move.** With 0.95 and 0.8: from which angle on does the state grow at all? What happens at
# 2° when the second factor comes close to the first?

# %% id="axes-dial"
widgets_modes.axes_dial()

# %% [markdown]
# <details><summary>Answers</summary>
#
# At 26° this start exceeds its length, by 3 per cent; at 38° $\sigma_1$ passes 1, so some other start
# already grows in its first step. At 2° the growth goes from 14.2 (0.8) over 7.4 (0.9) to 1.1 (0.945):
# arrows that decay at the same pace keep cancelling. Here, where the two axes stay apart (unlike in
# $D$), equal factors make every direction an axis.
#
# </details>

# %% [markdown]
# **Check yourself.** All eigenvalues of a matrix are below 1 in size. Which sentence is safe?
#
# - **a** $|h_t|$ falls at every step.
# - **b** $|h_t|$ goes to zero in the end.
# - **c** $|h_t|$ never exceeds $|h_0|$.

# %% id="concept-growth"
concept_check("03.growth", None)

# %% [markdown]
# <details><summary>Answer</summary>
#
# **b**. $N$ breaks the other two. They would need $\sigma_1 < 1$.
#
# </details>

# %% [markdown]
# ## A hundred numbers
#
# A network starts from a random matrix. Three kinds, with $H = 100$: independent random numbers with the
# standard deviation $1/\sqrt{H}$; an *orthogonal* matrix (its columns have length 1 and stand at right
# angles, so it changes no length); the identity.
#
# **Predict.** Where in the plane do the hundred eigenvalues of each lie?

# %% id="random-figure"
H = 100
start = {
    "random": rng.normal(size=(H, H)) / np.sqrt(H),
    "orthogonal": np.linalg.qr(rng.normal(size=(H, H)))[0],
    "identity": np.eye(H),
}
for ax, (name, matrix) in zip(plots.panels(3, width=3.3), start.items(), strict=True):
    plots.eigenvalue_plane(modes(matrix)[0], name, ax=ax)
plots.show(ax, "Random weights fill the unit disc, an orthogonal matrix its rim, the identity one point.")
for name, matrix in start.items():
    sizes = np.abs(modes(matrix)[0])
    stretch, slow = np.linalg.norm(matrix, 2), np.mean(sizes > np.exp(-1 / 10))
    print(f"{name}: rho {sizes.max():.2f}, sigma_1 {stretch:.2f}, horizon above 10: {slow:.0%}")

# %% [markdown]
# The random one has a $\sigma_1$ near 2, twice its radius: a state may grow first, and with a $\rho$ of 1.04
# the slowest modes even grow for good. Most modes forget within ten steps, and the few slow ones decide. The
# orthogonal one neither forgets nor grows, but it turns; the identity only adds, like $\alpha = 1$. Which
# would you start a network with? Lesson 08 tries all three.

# %% [markdown]
# ## Summary
#
# - Along its axes a matrix recursion is $H$ separate loops of lesson 02, one for each eigenvalue, and
#   $c = V^{-1}h$ gives the coordinates. A complex pair is a swing in an envelope.
# - The size $r$ of an eigenvalue gives the horizon $-1/\ln r$, its angle the period $2\pi/|\theta|$
#   (0.949 and 18.4°: 19.0 and 19.5 steps). In the end the spectral radius $\rho$ sets the memory of the
#   whole, within its own horizon only if the others forget five times as fast.
# - Nearly parallel axes let a state grow first, 16.5-fold with $\rho = 0.95$. The largest singular value
#   warns: 5.15 a step. With axes at right angles it equals $\rho$ and nothing grows.
#
# **Two open questions.** The factors of lessons 05 to 07 change from step to step. What takes the place of
# $A^t$ when every step has its own matrix? And so far we have chosen every number by hand. Can the factor
# be *learned*, and what happens when learning pushes it across the circle?
#
# **Sources.** The lecture "Recurrent Neural Networks" (EE 641, Unit 4A).
#
# The exercise is ex03. Next, lesson [04, adaptive filters](04_adaptive.ipynb): gradient descent turns the
# knob.
