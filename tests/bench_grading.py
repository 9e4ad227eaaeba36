"""Seconds for grading one submission of ex02: ``make bench`` prints them, nothing is asserted."""

import statistics
import subprocess
import sys
import time

from grading import sample
from grading.grade import grade_bytes
from grading.session import Session

REPEATS = 5


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def start_kernel():
    with Session() as session:
        session.start()


def import_matplotlib():
    with Session() as session:
        session.start()
        print(f"    of it the import: {seconds(lambda: session.run('import matplotlib.pyplot', 60)):.2f} s")


def main():
    path = sample.path_of(sample.students()[0])
    command = [sys.executable, "-m", "grading.cli", "grade-file", str(path), "--json"]
    cold = seconds(lambda: subprocess.run(command, capture_output=True, check=True))
    print(f"one submission, cold (a new command): {cold:.2f} s")
    warm = [seconds(lambda: grade_bytes(path.read_bytes(), "ex02")) for _ in range(REPEATS)]
    print(f"one submission, warm (in a class run): {statistics.median(warm):.2f} s, median of {REPEATS}")
    kernel = [seconds(start_kernel) for _ in range(REPEATS)]
    print(f"of it starting and ending a kernel: {statistics.median(kernel):.2f} s")
    print(f"a kernel that imports matplotlib: {seconds(import_matplotlib):.2f} s")


if __name__ == "__main__":
    main()
