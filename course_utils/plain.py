"""Values in plain form: what a case file stores and what a kernel may answer; and calls on such values.

A plain value is made of JSON types only, so it can be written to a file, sent to another process and
read back without running code (no pickle). Only exact types and NumPy arrays, torch tensors, tuples and
lists of any kind are read, and these by the methods of their base class: an object of the student's own is
never iterated, compared or converted.

An answer is numbers: an array with its dtype and shape, a tensor as such an array. An input arrives as it
was: a tensor stays one, and what is not contiguous in memory is not contiguous where it arrives.

The grader sends the text of this module into the student's kernel, so it imports NumPy and the
standard library only; torch when a tensor arrives.
"""

import dataclasses
import json
import sys
import types

import numpy as np

MAX_ELEMENTS = 300_000
MAX_DEPTH = 20
INTEGERS = 2**63  # a whole number has to be smaller
DTYPES = {"bool", "complex64", "complex128", "float16", "float32", "float64"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)


class InputChanged(ValueError):
    """A function tried to change an input; ``positions`` says which."""

    def __init__(self, positions):
        super().__init__("an input is read-only")
        self.positions = positions


def call_on(function, arguments):
    """Call a function on fresh inputs; the arrays among them are read-only.

    Some libraries refuse an array that they may not write to although they only read it. So a call that
    ends with such an error is made again with arrays that can be written to, and counts if it leaves
    them as they were. A tensor cannot be made read-only; it has to be left as it was, too.

    Returns
    -------
    (value, positions) : what it returned on the plain ``arguments``, and which inputs, lists say, it changed.

    Raises
    ------
    InputChanged : when it tried to change an array or tensor. Whatever the function raises is passed on.
    """
    inputs = from_plain({"list": arguments}, inputs=True)
    before = [_text(value) for value in inputs]
    _lock(inputs)
    try:
        value = function(*inputs)
        changed = _changed(inputs, before)
        if any(_holds_tensor(inputs[position]) for position in changed):
            raise InputChanged(changed)
        return value, changed
    except ValueError as error:
        if type(error) is not ValueError or "read-only" not in str(error):
            raise
    inputs = from_plain({"list": arguments}, inputs=True)
    value = function(*inputs)
    if positions := _changed(inputs, before):
        raise InputChanged(positions)
    return value, []


def _lock(value):
    """Make every array in a nested value read-only."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, (tuple, list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            _lock(item)


def _changed(inputs, before):
    return [number for number, text in enumerate(before) if _text(inputs[number]) != text]


def _holds_tensor(value):
    return any(map(_holds_tensor, value)) if isinstance(value, (tuple, list)) else _is_tensor(type(value))


def _text(value):
    """A value in one text, by which it is compared with what it was; NaN equals NaN here."""
    try:
        return json.dumps(to_plain(value))
    except (TypeError, ValueError):
        return None


class _Room:
    """How many numbers and letters a value may still hold; what is empty takes room as well."""

    def __init__(self, inputs):
        self.left, self.inputs = MAX_ELEMENTS, inputs  # inputs: whether tensors and memory are kept

    def take(self, count=1):
        self.left -= count
        if self.left < 0:
            raise ValueError(f"more than {MAX_ELEMENTS:,} numbers or letters are too many to be returned")


def to_plain(value, inputs=False):
    """Turn an answer, or the inputs of a call, into JSON types.

    Parameters
    ----------
    value : None, bool, int, float, complex, str, NumPy array or scalar, torch tensor, or a tuple,
        list or dict (text keys) of these.
    inputs : whether to note what is a tensor and what is not contiguous.

    Raises
    ------
    TypeError : for anything else, in words for who returned it.
    ValueError : for more than ``MAX_ELEMENTS`` numbers and letters, or what is nested too deep.

    >>> to_plain(np.array([1.0, 2.0]))
    {'array': [1.0, 2.0], 'dtype': 'float64', 'shape': [2]}
    """
    return _pack(value, _Room(inputs), 0)


def _pack(value, room, depth):
    kind = type(value)
    _check_depth(depth)
    if kind in (str, np.str_):
        room.take(1 + len(value))
        return str(value)
    if issubclass(kind, (np.ndarray, np.generic)) or _is_tensor(kind):
        return _array_to_plain(_as_array(value, kind), room) | _nature(value, kind, room)
    room.take()
    if value is None or kind in (bool, float) or (kind is int and abs(value) < INTEGERS):
        return value
    if kind is complex:
        return {"complex": [value.real, value.imag]}
    for base in (tuple, list):  # a named tuple is a tuple
        if issubclass(kind, base):
            return {base.__name__: [_pack(item, room, depth + 1) for item in base.__iter__(value)]}
    if kind is dict:
        items = ((_pack_key(key, room), _pack(item, room, depth + 1)) for key, item in value.items())
        return {"dict": dict(items)}
    raise TypeError(_why_not(kind))


def _pack_key(key, room):
    if type(key) not in (str, int):
        raise TypeError("the keys of a dict have to be text or whole numbers")
    room.take(1 + len(str(key)))
    return str(key)


def _check_depth(depth):
    if depth > MAX_DEPTH:
        raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep; does it contain itself?")


def _is_tensor(kind):
    """Whether a type is torch's, without importing torch."""
    return issubclass(kind, getattr(sys.modules.get("torch"), "Tensor", ()))


def _why_not(kind):
    """One sentence about a value of a type that cannot be returned."""
    name, home = kind.__name__, str(kind.__module__).partition(".")[0]
    if hasattr(kind, "__next__"):
        return f"a {name} holds no values yet; return a list or an array, such as list(...) of it"
    if kind is range:
        return "a range is no array; return list(...) of it or np.arange(...)"
    if kind in FUNCTIONS:
        return f"a {name} came back, not a value; is a call missing its parentheses?"
    if kind is int:
        return "a whole number of more than 64 bits came back; return a float"
    if kind in (set, frozenset):
        return f"a {name} has no order; return a list or an array"
    if dataclasses.is_dataclass(kind):
        return f"a {name} is a dataclass; return its values as a tuple"
    if home in ("pandas", "polars", "xarray"):
        return f"a {name} belongs to {home}; return its numbers as an array, such as np.asarray(...) of it"
    if hasattr(kind, "toarray"):
        return f"a {name} is sparse; return an ordinary array, with .toarray()"
    return f"a {name} is not a number, a text, an array or a tuple of these"


def _as_array(value, kind):
    """An array or tensor as the plain NumPy array of its numbers, whatever its own class says."""
    if issubclass(kind, np.ma.MaskedArray):
        raise TypeError("a masked array hides some of its values; return an ordinary array")
    if issubclass(kind, (np.ndarray, np.generic)):
        return np.asarray(value)
    if value.is_meta:
        raise TypeError('a tensor on the device "meta" has no values; make it on the CPU')
    if str(value.layout) != "torch.strided":
        raise TypeError("a sparse tensor came back; return an ordinary one, with .to_dense()")
    if str(value.dtype) == "torch.bfloat16":  # NumPy has no such type
        value = value.float()
    return value.detach().cpu().resolve_conj().resolve_neg().numpy()


def _nature(value, kind, room):
    """What an input is besides its numbers: a tensor, not contiguous in memory."""
    tensor = _is_tensor(kind)
    whole = not room.inputs or (value.is_contiguous() if tensor else value.flags.c_contiguous)
    return ({"tensor": True} if room.inputs and tensor else {}) | ({} if whole else {"contiguous": False})


def _array_to_plain(array, room):
    if array.dtype.kind in "fc" and array.dtype.name not in DTYPES:  # long double
        array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    if array.dtype.name not in DTYPES:
        hint = "; do its rows have different lengths?" if array.dtype.name == "object" else ""
        raise TypeError(f"an array of dtype {array.dtype.name} holds no plain numbers{hint}")
    complex_numbers = array.dtype.kind == "c"
    room.take(max(1, array.size * (1 + complex_numbers)))
    plain = {"array": array.real.ravel().tolist(), "dtype": array.dtype.name, "shape": list(array.shape)}
    if complex_numbers:
        plain["imag"] = array.imag.ravel().tolist()
    return plain


def from_plain(plain, inputs=False):
    """Turn JSON types back into the value; the inverse of ``to_plain``.

    Parameters
    ----------
    inputs : whether tensors and memory are wanted as they were; without it every tensor is an array.

    Raises
    ------
    ValueError : when ``plain`` does not have the form that ``to_plain`` makes.

    >>> from_plain({"tuple": [1, {"complex": [0.0, 2.0]}]})
    (1, 2j)
    """
    return _unpack(plain, _Room(inputs), 0)


def _unpack(plain, room, depth):
    _check_depth(depth)
    if isinstance(plain, str):
        room.take(1 + len(plain))
        return plain
    match plain:
        case {"array": list() as data, "dtype": str() as dtype, "shape": list() as shape} if dtype in DTYPES:
            room.take(max(1, len(data)))
            array = _array_from_plain(data, plain.get("imag"), dtype, shape)
            return _as_it_was(array, plain) if room.inputs else array
    room.take()
    if plain is None or _is_number(plain):
        return plain
    match plain:
        case {"complex": [real, imag]} if _is_number(real) and _is_number(imag):
            return complex(real, imag)
        case {"tuple": list() as items}:
            return tuple(_unpack(item, room, depth + 1) for item in items)
        case {"list": list() as items}:
            return [_unpack(item, room, depth + 1) for item in items]
        case {"dict": dict() as items}:
            return {key: _unpack(item, room, depth + 1) for key, item in items.items()}
    raise ValueError("not a plain value")


def _is_number(plain):
    return isinstance(plain, (bool, float)) or (isinstance(plain, int) and abs(plain) < INTEGERS)


def _array_from_plain(data, imag, dtype, shape):
    if not all(type(number) in (bool, int, float) for part in (data, imag or []) for number in part):
        raise ValueError("not a list of numbers")
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError("not a shape")
    if (imag is not None) != dtype.startswith("complex"):
        raise ValueError("imaginary parts belong to complex numbers")
    try:
        with np.errstate(all="ignore"):  # a number too large for the dtype becomes infinite
            if imag is None:
                return np.array(data, dtype=dtype).reshape(shape)
            parts = np.empty(len(data), dtype=dtype)
            parts.real, parts.imag = data, imag
            return parts.reshape(shape)
    except (TypeError, OverflowError) as error:
        raise ValueError("not a plain array") from error


def _as_it_was(array, plain):
    """An input array with its memory as it was, and as a tensor if it was one."""
    if plain.get("contiguous") is False:
        array = np.repeat(array, 2)[::2] if array.ndim == 1 else np.asfortranarray(array)
    if plain.get("tensor"):
        import torch

        return torch.from_numpy(array)
    return array
