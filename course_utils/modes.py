"""The matrix recursion of lesson 03: H numbers carried by one matrix, seen as modes with one factor each.

Everything here is NumPy in float64. A state has shape ``(H,)``, a row of states ``(T, H)``.
"""

import math

import numpy as np

MOST_PARALLEL = 1e12
"""Condition number of the axes from which coordinates along them are rounding noise."""


def matrix_states(A, x, B=None, h0=None):
    """Run the matrix recursion over a sequence and return every state.

    h_t = A h_(t-1) + B x_t

    Parameters
    ----------
    A : (H, H) array, what a step makes of the old state.
    x : (T, d) array, the inputs; T = 0 is allowed.
    B : (H, d) array, how an input enters; the identity when None, so that d = H.
    h0 : (H,) array, the state before the first input; zeros when None.

    Returns
    -------
    (T, H) float64 array, the states h_1 ... h_T.

    Raises
    ------
    ValueError : when the shapes do not fit together.

    >>> matrix_states([[0.5, 1], [0, 0.5]], [[0, 1], [0, 0]])
    array([[0. , 1. ],
           [1. , 0.5]])
    """
    A, x = np.asarray(A, dtype=float), np.asarray(x, dtype=float)
    H = len(A)
    B = np.eye(H) if B is None else np.asarray(B, dtype=float)
    h = np.zeros(H) if h0 is None else np.asarray(h0, dtype=float)
    if x.ndim != 2 or A.shape != (H, H) or B.shape != (H, x.shape[1]) or h.shape != (H,):
        raise ValueError(
            f"A has shape {A.shape}, x {x.shape}, B {B.shape} and h0 {h.shape}, "
            "expected (H, H), (T, d), (H, d) and (H,); without B an input is as long as the state"
        )
    states = np.empty((len(x), H))
    for t, x_t in enumerate(x):
        h = A @ h + B @ x_t
        states[t] = h
    return states


def free_run(A, h0, steps):
    """The states without any input, from the start on: h_t = A^t h_0.

    Parameters
    ----------
    A : (H, H) array.
    h0 : (H,) array, the start.
    steps : int, how many steps.

    Returns
    -------
    (steps + 1, H) float64 array; row t is h_t, row 0 the start itself.

    >>> free_run([[0.8, 0.1], [0.1, 0.8]], [1, 1], 2)
    array([[1.  , 1.  ],
           [0.9 , 0.9 ],
           [0.81, 0.81]])
    """
    states = matrix_states(A, np.zeros((steps, len(h0))), h0=h0)
    return np.vstack([h0, states])


def modes(A):
    """The factors of a matrix and their axes, slowest first: A axes[:, i] = factors[i] * axes[:, i].

    The factors are the eigenvalues, the axes the eigenvectors: of length 1, and turned so that their largest
    number is real and positive. Of a complex pair the one with the positive angle comes first.

    Parameters
    ----------
    A : (H, H) array.

    Returns
    -------
    factors : (H,) array, real when all eigenvalues are.
    axes : (H, H) array, one axis a column.

    >>> modes([[0.8, 0.1], [0.1, 0.8]])[0].round(4)
    array([0.9, 0.7])
    """
    factors, axes = np.linalg.eig(_square(A))
    order = np.lexsort([-np.angle(factors), -np.abs(factors).round(12)])
    factors, axes = factors[order], axes[:, order]
    largest = np.take_along_axis(axes, np.abs(axes).round(12).argmax(axis=0)[None], axis=0)  # (1, H)
    return factors, axes * (np.abs(largest) / largest)


def coordinates(states, axes):
    """States measured along the axes: V^-1 h, with the axes as the columns of V.

    Parameters
    ----------
    states : (T, H) array or one state (H,).
    axes : (H, H) array, one axis a column.

    Returns
    -------
    array of the shape of states, complex when the axes are.

    Raises
    ------
    ValueError : when the axes do not span the space, as those of a defective matrix.

    >>> coordinates([1, 0], np.array([[1, 1], [1, -1]]))
    array([0.5, 0.5])
    """
    if np.linalg.cond(axes) > MOST_PARALLEL:
        raise ValueError(
            "the axes point the same way, so most states are no sum of them: is the matrix defective?"
        )
    return np.linalg.solve(axes, np.asarray(states).T).T


def spectral_radius(A):
    """The size rho of the largest eigenvalue of a matrix (H, H): in the end, the factor of a step.

    >>> round(spectral_radius([[0.9, 0.3], [-0.3, 0.9]]), 4)
    0.9487
    """
    return float(np.abs(np.linalg.eigvals(_square(A))).max())


def period(factor):
    """Steps that a complex factor takes for one full turn: 2 pi / |angle|.

    Parameters
    ----------
    factor : complex or float.

    Returns
    -------
    float, in steps: inf for a factor that does not turn, 2 for a negative one.

    >>> round(period(0.9 + 0.3j), 2)
    19.53
    """
    angle = abs(np.angle(factor))
    return float(2 * np.pi / angle) if angle else math.inf


def swing(radius, angle, steps):
    """What a pair of complex factors makes of a 1: radius^t cos(angle * t) for t = 0 ... steps.

    Parameters
    ----------
    radius : float, the size of the factors.
    angle : float, in radians a step.
    steps : int.

    Returns
    -------
    (steps + 1,) float64 array.

    >>> swing(0.5, np.pi, 3)
    array([ 1.   , -0.5  ,  0.25 , -0.125])
    """
    t = np.arange(steps + 1)
    return radius**t * np.cos(angle * t)


def lengths(states):
    """The length |h_t| of each state of a row (T, H), as an array (T,).

    >>> lengths([[3, 4], [0, 1]])
    array([5., 1.])
    """
    return np.linalg.norm(states, axis=-1)


def largest_growth(A, steps):
    """By how much the best of all starts has grown after 0, 1, ... steps: the largest singular value of A^t.

    Parameters
    ----------
    A : (H, H) array.
    steps : int.

    Returns
    -------
    (steps + 1,) float64 array; the first is 1.

    >>> largest_growth([[0, 2], [0, 0]], 2)
    array([1., 2., 0.])
    """
    power, growth = np.eye(len(A)), [1.0]
    for _ in range(steps):
        power = A @ power
        growth.append(np.linalg.norm(power, 2))
    return np.array(growth)


def with_axes(first, second, apart):
    """The 2 x 2 matrix with two given factors whose axes stand a given angle apart.

    The first axis is (1, 0), the second (-cos, sin) of the angle.

    Parameters
    ----------
    first, second : floats, the factors.
    apart : float, the angle between the axes in degrees, above 0 and up to 90.

    Returns
    -------
    (2, 2) float64 array.

    Raises
    ------
    ValueError : for an angle out of range.

    >>> with_axes(0.9, 0.5, 45).round(4)
    array([[0.9, 0.4],
           [0. , 0.5]])
    """
    if not 0 < apart <= 90:
        raise ValueError(f"apart is {apart}, expected degrees above 0 and up to 90")
    return np.array([[first, (first - second) / math.tan(math.radians(apart))], [0.0, second]])


def _square(A):
    A = np.asarray(A, dtype=float)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not A.size:
        raise ValueError(f"A has shape {A.shape}, expected a square matrix (H, H)")
    return A
