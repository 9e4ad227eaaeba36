"""Values in plain form: what a case file stores and what a kernel may answer.

A plain value is made of JSON types only, so it can be written to a file, sent to another process and
read back without running code (no pickle). Arrays keep their dtype and shape.

The grader sends the text of this module into the student's kernel, so it imports NumPy and the
standard library only.
"""

import numpy as np

MAX_ELEMENTS = 2_000_000
DTYPES = {"bool", "complex64", "complex128", "float16", "float32", "float64"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}


def to_plain(value):
    """Turn an answer into JSON types.

    Parameters
    ----------
    value : None, bool, int, float, complex, str, NumPy array or scalar, torch tensor, or a tuple,
        list or dict (text keys) of these.

    Returns
    -------
    JSON-able object; ``from_plain`` turns it back.

    Raises
    ------
    TypeError : for anything else, naming the type.
    ValueError : for more than ``MAX_ELEMENTS`` numbers.

    >>> to_plain(np.array([1.0, 2.0]))
    {'array': [1.0, 2.0], 'dtype': 'float64', 'shape': [2]}
    """
    kind = type(value)
    if value is None or kind in (bool, float, str) or (kind is int and abs(value) < 2**63):
        return value
    if isinstance(value, np.str_):
        return str(value)
    if kind is complex:
        return {"complex": [value.real, value.imag]}
    if kind in (tuple, list):
        return {kind.__name__: [to_plain(item) for item in value]}
    if kind is dict:
        return {"dict": {str(key): to_plain(item) for key, item in value.items()}}
    if hasattr(value, "detach"):  # a torch tensor, without importing torch
        value = value.detach().cpu().resolve_conj().resolve_neg().numpy()
    if not isinstance(value, (np.ndarray, np.generic)):
        raise TypeError(f"a {kind.__name__} is not a number, a text, an array or a tuple of these")
    return _array_to_plain(np.asarray(value))


def _array_to_plain(array):
    if array.dtype.kind in "fc" and array.dtype.name not in DTYPES:  # long double
        array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    if array.dtype.name not in DTYPES:
        raise TypeError(f"an array of dtype {array.dtype.name} holds no plain numbers")
    if array.size > MAX_ELEMENTS:
        raise ValueError(f"{array.size:,} numbers are more than the {MAX_ELEMENTS:,} that can be returned")
    plain = {"array": array.real.ravel().tolist(), "dtype": array.dtype.name, "shape": list(array.shape)}
    if array.dtype.kind == "c":
        plain["imag"] = array.imag.ravel().tolist()
    return plain


def from_plain(plain):
    """Turn JSON types back into the value; the inverse of ``to_plain``.

    Raises
    ------
    ValueError : when ``plain`` does not have the form that ``to_plain`` makes.

    >>> from_plain({"tuple": [1, {"complex": [0.0, 2.0]}]})
    (1, 2j)
    """
    if plain is None or isinstance(plain, (bool, int, float, str)):
        return plain
    match plain:
        case {"complex": [int() | float() as real, int() | float() as imag]}:
            return complex(real, imag)
        case {"tuple": list() as items}:
            return tuple(from_plain(item) for item in items)
        case {"list": list() as items}:
            return [from_plain(item) for item in items]
        case {"dict": dict() as items}:
            return {key: from_plain(item) for key, item in items.items()}
        case {"array": list() as data, "dtype": str() as dtype, "shape": list() as shape} if dtype in DTYPES:
            return _array_from_plain(data, plain.get("imag"), dtype, shape)
    raise ValueError("not a plain value")


def _array_from_plain(data, imag, dtype, shape):
    if len(data) > MAX_ELEMENTS:
        raise ValueError("too many numbers")
    if not all(type(number) in (bool, int, float) for part in (data, imag or []) for number in part):
        raise ValueError("not a list of numbers")
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError("not a shape")
    if (imag is not None) != dtype.startswith("complex"):
        raise ValueError("imaginary parts belong to complex numbers")
    try:
        if imag is None:
            return np.array(data, dtype=dtype).reshape(shape)
        parts = np.empty(len(data), dtype=dtype)
        parts.real, parts.imag = data, imag
        return parts.reshape(shape)
    except (TypeError, OverflowError) as error:
        raise ValueError("not a plain array") from error
