"""The claims register: every number and statement of the sources, checked where a lesson measures it."""

import functools
import math
import tomllib
from pathlib import Path

import numpy as np

CLAIMS_FILE = Path(__file__).with_name("claims.toml")


class ClaimFailed(AssertionError):
    """A measured value disagrees with what the sources state."""


@functools.cache
def claims():
    """All claims by id, as the rows of ``claims.toml``."""
    rows = tomllib.loads(CLAIMS_FILE.read_text(encoding="utf-8"))["claim"]
    return {row["id"]: row for row in rows}


def claim(claim_id, measured, stated=None):
    """Compare a measured value with a claim; print the verdict, raise when it does not hold.

    Parameters
    ----------
    claim_id : id of a row in ``claims.toml``.
    measured : a number, or several (one a seed); True or False for a property. Of several, every one
        must lie in a band; for a measured or an exact value their mean must lie within the tolerance.
    stated : the value of the formula, for an exact claim whose row holds a formula and no number.

    Raises
    ------
    KeyError : for an unknown id.
    ValueError : when nothing was measured, or the value of a formula is missing.
    ClaimFailed : when the claim does not hold.

    >>> claim("one_pole.horizon_0.99", 99.499)
    claim one_pole.horizon_0.99: stated 99.5, measured 99.499, holds
    """
    if claim_id not in claims():
        raise KeyError(f"no claim {claim_id!r} in {CLAIMS_FILE.name}; is the id spelt as in the file?")
    row = claims()[claim_id]
    values = np.atleast_1d(np.asarray(measured))
    if not values.size:
        raise ValueError(f"claim {claim_id}: nothing was measured")
    if row["kind"] == "property":
        said, holds = "property", values.dtype == bool and values.all()
    elif row["kind"] == "band":
        said = f"stated {row['low']:g} to {row['high']:g}"
        holds = ((row["low"] <= values) & (values <= row["high"])).all()
    else:
        value = row.get("value", stated)
        if value is None:
            raise ValueError(f"claim {claim_id} states a formula: pass its value as stated=")
        said, holds = f"stated {value:.6g}", abs(values.mean() - value) <= _tolerance(row, value)
        if "log10_tol" in row:
            ratio = values.mean() / value
            holds = ratio > 0 and abs(math.log10(ratio)) <= row["log10_tol"]
    verdict = "holds" if holds and np.isfinite(values).all() else "DOES NOT HOLD"
    line = f"claim {claim_id}: {said}, measured {_shown(values)}, {verdict}"
    if verdict != "holds":
        raise ClaimFailed(line)
    print(line)


def _tolerance(row, value):
    """The allowed distance; a formula without a stated rounding must be met to nine digits."""
    if "abs_tol" in row:
        return row["abs_tol"]
    return row.get("rel_tol", 1e-9) * abs(value)


def _shown(values):
    if values.dtype == bool:
        return "true" if values.all() else "false"
    if values.size == 1:
        return f"{values[0]:.5g}"
    return f"{values.mean():.5g} ({values.min():.4g} to {values.max():.4g}, {values.size} runs)"
