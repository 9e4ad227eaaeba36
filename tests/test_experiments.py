"""Recorded experiments: what is in data/ can be repeated, and an interrupted run goes on."""

import json
import random
import subprocess
import sys

import pytest
import torch

from course_utils import experiments, records, training
from course_utils.experiments import EXPERIMENTS, Experiment, run_experiment
from course_utils.recall_experiments import recall
from course_utils.training import train

RUN = dict(cell="rnn", T=2, seeds=[0, 1], gate_bias=0.0, updates=3)


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """An experiment of two runs; returns a function that does it, and the folder of single runs."""
    monkeypatch.setitem(EXPERIMENTS, "tiny", Experiment(lambda: [RUN, RUN | {"T": 3}], recall, (training,)))

    def run():
        run_experiment("tiny", 1, kept=tmp_path / "kept", data=tmp_path)
        return json.loads((tmp_path / "tiny.json").read_text())

    return run, tmp_path / "kept/tiny"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_run_of_an_experiment_is_recorded_with_its_settings(name):
    wanted = EXPERIMENTS[name].runs()
    for run, settings in zip(records.record(name)["runs"], wanted, strict=True):
        assert {key: run[key] for key in settings} == settings


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_record_says_how_it_was_made(name):
    record = records.record(name)
    assert record["command"] == f"python -m course_utils.experiments {name}"
    assert record["versions"]["torch"].startswith("2.")
    assert record["seconds"] == pytest.approx(sum(run["seconds"] for run in record["runs"]), abs=1)


def test_a_run_drawn_from_the_record_begins_as_it_is_recorded():
    """Up to update 50: later, runs that learn fast enlarge the last digit of a sum a thousandfold."""
    chosen = random.Random().choice([run for run in records.record("recall")["runs"] if run["T"] <= 20])
    row = random.Random().randrange(len(chosen["seeds"]))
    again = train(
        chosen["cell"], chosen["T"], [chosen["seeds"][row]], gate_bias=chosen["gate_bias"], updates=51
    )
    for name in ("losses", "first", "last"):
        wanted = torch.tensor(chosen[name][row][:2])
        torch.testing.assert_close(
            getattr(again, name)[0], wanted, rtol=0.02, atol=0.002, msg=str((chosen, row))
        )


def test_an_experiment_that_is_done_is_not_run_again(tiny, monkeypatch):
    run, folder = tiny
    first = run()
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert run() == first
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_an_interrupted_experiment_goes_on(tiny):
    run, folder = tiny
    first = run()
    kept = sorted(folder.iterdir())
    kept[0].unlink()
    other = kept[1].stat().st_mtime_ns
    again = run()
    assert kept[1].stat().st_mtime_ns == other
    assert [r["losses"] for r in again["runs"]] == [r["losses"] for r in first["runs"]]


def test_what_another_program_gave_is_run_again(tiny, monkeypatch):
    run, folder = tiny
    run()
    monkeypatch.setattr(experiments, "_mark", lambda _program: "another")
    run()
    programs = [path.stem.rpartition("-")[2] for path in folder.iterdir()]
    assert len(programs) == 2 * programs.count("another") == 4


def test_a_record_that_is_not_there_names_the_command():
    with pytest.raises(FileNotFoundError, match=r"python -m course_utils\.experiments nowhere"):
        records.record("nowhere")


def test_runs_are_found_by_their_settings():
    assert [run["T"] for run in records.runs("recall", cell="rnn", T=5)] == [5]


def test_an_unknown_experiment_is_refused_in_one_sentence():
    command = [sys.executable, "-m", experiments.__name__, "nothing"]
    seen = subprocess.run(command, capture_output=True, text=True, check=False)
    assert seen.returncode == 2
    assert "there is no experiment 'nothing'; there are: recall" in seen.stderr
