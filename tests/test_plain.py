"""Values in plain form: what goes into a file and comes back is the same, and nothing else goes in."""

import contextlib
import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from course_utils import plain
from course_utils.plain import DTYPES, from_plain, to_plain

KINDS = st.sampled_from(sorted(DTYPES))
SHAPES = array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
ARRAYS = KINDS.flatmap(lambda kind: arrays(kind, SHAPES))
SCALARS = st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)


def through_a_file(value):
    """What is left of a value that is written as JSON and read again."""
    return from_plain(json.loads(json.dumps(to_plain(value))))


@given(ARRAYS)
def test_an_array_comes_back_with_kind_shape_and_every_value(array):
    back = through_a_file(array)
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(back, array)


@given(VALUES)
def test_a_nested_value_comes_back(value):
    assert repr(through_a_file(value)) == repr(value)


@pytest.mark.parametrize("value", [True, 1, 1.0, "1", None, 1j, (1,), [1], {"a": 1}, ()])
def test_the_type_of_a_value_comes_back(value):
    assert type(through_a_file(value)) is type(value)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 3)])
def test_shapes_without_or_with_entries_come_back(shape):
    assert through_a_file(np.ones(shape)).shape == shape


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_comes_back(value):
    np.testing.assert_array_equal(through_a_file(np.array([value, 1.0])), [value, 1.0])


def test_an_imaginary_part_that_is_not_finite_comes_back():
    np.testing.assert_array_equal(through_a_file(np.array([complex(1, np.inf)])), [complex(1, np.inf)])


def test_a_numpy_scalar_comes_back_without_axes():
    assert through_a_file(np.float32(0.1)).shape == ()
    assert through_a_file(np.float32(0.1)) == np.float32(0.1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.complex64, torch.bool])
def test_a_tensor_becomes_the_array_of_its_numbers(dtype):
    tensor = torch.tensor([[0, 1, 1]]).to(dtype)
    back = through_a_file(tensor)
    assert back.shape == (1, 3)
    np.testing.assert_array_equal(back, tensor.numpy())


def test_a_tensor_that_carries_a_gradient_or_is_conjugated_becomes_an_array():
    tensor = torch.tensor([1 + 2j], requires_grad=True).conj()
    assert through_a_file(tensor).tolist() == [1 - 2j]


def test_an_array_in_reverse_order_or_transposed_comes_back():
    array = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(through_a_file(array.T[::-1]), array.T[::-1])


@pytest.mark.parametrize(
    "value",
    [
        object(),
        lambda: None,
        {1, 2},
        b"bytes",
        range(3),
        2**70,
        SimpleNamespace(),
        np.array([object()]),
        np.array(["text"]),
        np.array(["2024-01-01"], dtype="datetime64[D]"),
        np.zeros(2, dtype=[("a", float)]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_holds_no_plain_numbers_is_refused(value):
    with pytest.raises(TypeError):
        to_plain(value)


def test_an_object_deep_inside_is_refused():
    with pytest.raises(TypeError, match="SimpleNamespace"):
        to_plain({"a": [1, (2, SimpleNamespace())]})


def test_subclasses_of_text_and_numbers_are_refused():
    class Sly(float):
        def __eq__(self, other):
            return True

    with pytest.raises(TypeError, match="Sly"):
        to_plain(Sly(1.0))


def test_a_subclass_of_array_is_stripped_to_its_numbers():
    class Sly(np.ndarray):
        def __eq__(self, other):
            return True

    assert type(through_a_file(np.zeros(2).view(Sly))) is np.ndarray


def test_too_many_numbers_are_refused(monkeypatch):
    monkeypatch.setattr(plain, "MAX_ELEMENTS", 3)
    with pytest.raises(ValueError, match="more than 3 numbers or letters"):
        to_plain(np.zeros(4))


def test_too_many_numbers_are_refused_on_the_way_back_too(monkeypatch):
    monkeypatch.setattr(plain, "MAX_ELEMENTS", 3)
    with pytest.raises(ValueError, match="too many to be returned"):
        from_plain({"array": [0.0] * 4, "dtype": "float64", "shape": [4]})


@pytest.mark.parametrize("empty", ["", np.zeros(0), [], {}])
def test_what_is_empty_takes_room_too(monkeypatch, empty):
    plain_values = {"list": [to_plain(empty)] * 4}
    monkeypatch.setattr(plain, "MAX_ELEMENTS", 4)
    with pytest.raises(ValueError, match="too many"):
        to_plain([empty] * 4)
    with pytest.raises(ValueError, match="too many"):
        from_plain(plain_values)


def test_an_array_of_as_many_numbers_as_are_allowed_comes_back(monkeypatch):
    monkeypatch.setattr(plain, "MAX_ELEMENTS", 4)
    assert through_a_file(np.ones(4)).size == 4
    assert through_a_file(np.ones(2, complex)).size == 2


@pytest.mark.parametrize(
    "forged",
    [
        {},
        [1, 2],
        {"tuple": 1},
        {"complex": [1]},
        {"complex": ["1", 2]},
        {"dict": []},
        {"array": [1], "dtype": "object", "shape": [1]},
        {"array": [1], "dtype": "U5", "shape": [1]},
        {"array": [1], "dtype": "float64", "shape": [2]},
        {"array": [1], "dtype": "float64", "shape": ["1"]},
        {"array": [1], "dtype": "float64", "shape": [1.0]},
        {"array": ["a"], "dtype": "float64", "shape": [1]},
        {"array": ["1"], "dtype": "float64", "shape": [1]},
        {"array": [None], "dtype": "float64", "shape": [1]},
        {"array": [[1, 2], [3, 4]], "dtype": "float64", "shape": [4]},
        {"array": [{"a": 1}], "dtype": "float64", "shape": [1]},
        {"array": [300], "dtype": "uint8", "shape": [1]},
        {"array": [1, 2], "dtype": "float64", "shape": [-1]},
        {"array": [1], "dtype": "complex128", "shape": [1], "imag": [1, 2]},
        {"array": [1], "dtype": "complex128", "shape": [1], "imag": None},
        {"array": [1], "dtype": "float64", "shape": [1], "imag": [2]},
        {"array": [1], "dtype": ["float64"], "shape": [1]},
        {"tuple": [{"array": 3}]},
    ],
    ids=str,
)
def test_a_forged_answer_is_a_value_error(forged):
    with pytest.raises(ValueError):  # noqa: PT011 - the words differ, the kind is the promise
        from_plain(forged)


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_whatever_json_holds_is_read_or_refused_with_a_value_error(anything):
    for shell in (anything, {"array": anything, "dtype": "int32", "shape": [1]}, {"tuple": anything}):
        with contextlib.suppress(ValueError):
            from_plain(shell)


# inputs arrive as they were


def as_inputs(value):
    """What arrives of the inputs of a call."""
    return from_plain(json.loads(json.dumps(to_plain(value, inputs=True))), inputs=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.complex64, torch.bool])
def test_an_input_tensor_arrives_as_a_tensor(dtype):
    tensor = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(dtype)
    back = as_inputs((tensor, [tensor]))
    assert torch.equal(back[0], tensor)
    assert back[0].dtype == back[1][0].dtype == dtype


def test_an_input_array_arrives_as_an_array():
    assert isinstance(as_inputs(np.ones(2)), np.ndarray)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (4,), (2, 3), (2, 3, 4)])
@pytest.mark.parametrize("make", [np.zeros, torch.zeros], ids=["array", "tensor"])
def test_an_input_of_any_shape_is_contiguous_when_it_was(make, shape):
    back = torch.as_tensor(as_inputs(make(shape)))
    assert back.shape == shape
    assert back.is_contiguous()


@pytest.mark.parametrize(
    "value", [torch.arange(6)[::2], torch.arange(6).reshape(2, 3).T], ids=["row", "table"]
)
def test_what_is_not_contiguous_arrives_so(value):
    for original in (value, value.numpy()):
        back = torch.as_tensor(as_inputs(original))
        assert torch.equal(back, value)
        assert not back.is_contiguous()


def test_a_transposed_batch_arrives_where_view_is_refused():
    back = as_inputs(torch.arange(24.0).reshape(4, 3, 2).transpose(0, 1))
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        back.view(12, 2)


def test_an_answer_that_calls_itself_a_tensor_is_an_array():
    forged = to_plain(np.ones(2)) | {"tensor": True, "contiguous": False}
    back = from_plain(forged)
    assert isinstance(back, np.ndarray)
    assert back.flags.c_contiguous


@pytest.mark.parametrize("nest", [lambda x: x, lambda x: (x, x), lambda x: [(x,)]])
def test_a_tensor_that_is_changed_is_an_error(nest):
    def spoils(value):
        while not isinstance(value, torch.Tensor):
            value = value[0]
        value += 1

    with pytest.raises(plain.InputChanged) as caught:
        plain.call_on(spoils, to_plain([1.0, nest(torch.ones(2))], inputs=True)["list"][1:])
    assert caught.value.positions == [0]


def test_a_tensor_that_asks_for_its_gradient_is_not_changed():
    arguments = to_plain([torch.ones(2)], inputs=True)["list"]
    assert plain.call_on(lambda x: x.requires_grad_().sum(), arguments)[1] == []
