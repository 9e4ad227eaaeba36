"""The full size and its check: what is counted, one code at any size, and what is said without a GPU."""

import math
import sys

import pytest
import torch

from course_utils import full_size, gpu_check
from course_utils.full_size import FULL, SMALL, Size
from course_utils.language import LanguageModel

TINY = Size(("mpmath",), False, V=80, E=6, H=10, rows=4, T=8, updates=8)
CPU = torch.device("cpu")


@pytest.fixture
def windows():
    return torch.randint(1, TINY.V, (9, TINY.T + 1), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
def test_the_table_counts_the_parameters_of_the_model_and_one_bias_of_the_cell(cell):
    parts = full_size.parameter_table(11, 5, 7, cell)
    model = LanguageModel(11, 5, 7, cell)
    second = model.recurrent.bias_hh_l0.numel()
    assert sum(parts.values()) == sum(part.numel() for part in model.parameters()) - second
    assert parts["output"] == sum(part.numel() for part in model.output.parameters())


def test_a_gpu_gets_the_full_size_and_a_cpu_the_small_one():
    assert full_size.size_for(torch.device("cuda")) is FULL
    assert full_size.size_for(CPU) is SMALL
    assert (FULL.V, FULL.E, FULL.H) == (37_580, 256, 512)


def test_operations_are_six_for_each_weight_and_token():
    work = full_size.operations(TINY, "lstm")
    assert work["output"] == 6 * 4 * 8 * 10 * 80
    assert work["cell"] == 4 * full_size.operations(TINY, "rnn")["cell"] == 6 * 4 * 8 * 4 * 10 * (6 + 10)


def test_batches_hold_all_windows_in_turn(windows):
    parts = list(full_size.batches_on(CPU, windows, TINY))
    assert len(parts) == TINY.updates
    assert torch.equal(torch.cat([part.ids for part in parts[:3]]), windows[torch.arange(12) % 9])
    assert parts[0].lengths.tolist() == [9] * 4


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("cell", ["rnn", "lstm"])
def test_a_run_begins_near_ln_v_learns_and_names_a_bound(cell, half, windows):
    limits = full_size.Limits(1e9, 2e9, 1e9)
    seen = full_size.run(cell, half, CPU, TINY, windows, limits)
    assert seen["before"] == pytest.approx(math.log(TINY.V), abs=0.3)
    assert seen["after"] < seen["before"]
    assert seen["bound"] in ("arithmetic", "memory", "steps")
    assert min(seen["tokens"], seen["share"], seen["reached"]) > 0


def test_the_bound_of_a_slow_memory_is_memory():
    slow = full_size.bounds(TINY, "rnn", False, full_size.Limits(1e12, 1e12, 1.0), CPU)
    assert max(slow, key=slow.get) == "memory"
    slow = full_size.bounds(TINY, "rnn", False, full_size.Limits(1.0, 1e12, 1e12), CPU)
    assert max(slow, key=slow.get) == "arithmetic"


def test_the_half_precision_limit_is_used_for_the_output_alone():
    limits = full_size.Limits(1e3, 1e30, 1e30)
    work = full_size.operations(TINY, "rnn")
    assert full_size.bounds(TINY, "rnn", True, limits, CPU)["arithmetic"] == pytest.approx(work["cell"] / 1e3)


def rows(**changes):
    row = dict(
        cell="rnn", half=False, before=4.4, after=3.0, tokens=1e4, share=0.1, bound="steps", reached=0.5
    )
    return [row | dict(cell=cell, half=half) | changes for cell, half in gpu_check.ALL]


def checked(monkeypatch, answers):
    """What the check says of runs that answer this, one after the other."""
    monkeypatch.setattr(full_size, "text_of", lambda size: None)
    monkeypatch.setattr(full_size, "limits_of", lambda device: None)
    monkeypatch.setattr(full_size, "run", lambda *_: answers.pop(0))
    return gpu_check.check(CPU, TINY)


def test_runs_that_do_as_they_should_pass(monkeypatch):
    assert checked(monkeypatch, rows()) == rows()


@pytest.mark.parametrize(
    ("changes", "words"), [(dict(before=9.0), "ln V is 4.38"), (dict(after=4.5), "did not fall")]
)
def test_a_run_that_starts_or_ends_wrong_is_refused(changes, words, monkeypatch):
    with pytest.raises(gpu_check.Failed, match=words):
        checked(monkeypatch, rows(**changes))


def test_precisions_that_end_far_apart_are_refused(monkeypatch):
    answers = rows()
    answers[1]["after"] = 3.5
    with pytest.raises(gpu_check.Failed, match=r"bfloat16 ends at 3\.50, not 3\.00"):
        checked(monkeypatch, answers)


def test_without_a_gpu_the_table_says_not_measured_and_the_record_too(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(gpu_check, "check", lambda device: rows())
    monkeypatch.setattr(gpu_check, "DATA", tmp_path)
    monkeypatch.setattr(sys, "argv", ["gpu_check", "--record"])
    gpu_check.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("GPU: not measured.")
    assert len(lines) == 1 + 1 + 4 + 1
    assert (tmp_path / "gpu.txt").read_text() == "GPU: not measured\n"


def test_a_failed_check_ends_with_its_reason_and_not_with_0(monkeypatch):
    def fail(device):
        raise gpu_check.Failed("the loss did not fall")

    monkeypatch.setattr(gpu_check, "check", fail)
    monkeypatch.setattr(sys, "argv", ["gpu_check"])
    with pytest.raises(SystemExit, match="did not fall"):
        gpu_check.main()
