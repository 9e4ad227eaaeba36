"""Seconds by stage: each moment belongs to one stage, and nothing is measured unless asked."""

import time

import pytest

from grading.stages import STAGES, collect, stage


def test_a_stage_within_another_takes_its_time_from_it():
    with collect() as seconds, stage("judge"):
        with stage("probe"):
            time.sleep(0.05)
        with stage("probe"):
            time.sleep(0.05)
    assert list(seconds) == list(STAGES)
    assert seconds["probe"] >= 0.1
    assert seconds["judge"] < 0.05


def test_a_stage_that_fails_ends():
    with collect() as seconds:
        with pytest.raises(ZeroDivisionError), stage("start"):
            _ = 1 / 0
        time.sleep(0.05)
    assert seconds["start"] < 0.05


def test_without_collecting_nothing_is_kept():
    with stage("start"):
        pass
    with collect() as seconds:
        pass
    assert set(seconds.values()) == {0.0}
