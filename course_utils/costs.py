"""What a computation costs: seconds, measured several times in turn, and bytes that its graph holds."""

import time

import torch

from course_utils.graph_memory import GraphMemory

FINE = time.get_clock_info("thread_time").resolution < 1e-5
clock = time.thread_time if FINE else time.perf_counter
"""Time of the processor, which does not run while others have it; time of day where it is too coarse."""


def held_bytes(compute, apart=()):
    """Bytes of the tensors that the graph of a computation keeps for the way back.

    Tensors that share their memory count once.

    Parameters
    ----------
    compute : function without arguments; what it returns is kept alive while the tensors are counted.
    apart : tensors that are there anyway (inputs, weights) and do not count.

    Returns
    -------
    int.
    """
    with GraphMemory(apart) as memory:
        result = compute()
    held = memory.held
    del result  # only now may its graph be freed
    return held


def training_bytes(optimiser):
    """Bytes that training holds between two steps: weights, their gradients, the optimiser's tensors.

    Single numbers (a count of steps) are left out.

    Returns
    -------
    int.
    """
    total = 0
    for weight in (weight for group in optimiser.param_groups for weight in group["params"]):
        kept = [value for value in optimiser.state[weight].values() if value.ndim]
        total += sum(tensor.nbytes for tensor in [weight, weight.grad, *kept])
    return total


def fastest(runs, repeats=20):
    """Seconds of several computations on one core: of each the fastest of several repetitions.

    They take turns, so that a busy moment of the machine meets all of them. Counted is the time of the
    processor, without pauses in which it works for others.

    Parameters
    ----------
    runs : list of functions without arguments.
    repeats : int.

    Returns
    -------
    list of floats.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    seconds = [float("inf")] * len(runs)
    try:
        for _ in range(repeats):
            for place, run in enumerate(runs):
                start = clock()
                run()
                seconds[place] = min(seconds[place], clock() - start)
    finally:
        torch.set_num_threads(threads)
    return seconds
