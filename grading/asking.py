"""Ask one function on all its cases: in which order, how often, and for how long.

There are two rounds. In the open round every function of a submission meets its visible cases. What comes
back then may be repeated to the student word for word, since no fresh input has been in the kernel yet. In
the closed round the visible cases come again, shuffled among the fresh ones, and a few fresh ones come
twice. So a function that keeps something from call to call is found, and is not told what to expect by the
order. The seed of the grading run decides the order; it is the same for the whole class.

The cases of a round are asked together. Once one was too slow or ended the kernel the others are asked one
by one, so that each such case costs itself.

Every function has its time, ``Function.seconds``, for all cases together, and twice that once a case was
too slow. A case that is too slow or ends the kernel costs itself: the others are still asked, each with a
fifth of that time at most, until the third such case. So one endless case costs the same wherever the order
puts it.
"""

import time
from dataclasses import dataclass, field

import numpy as np

from grading.runner import Answer

TROUBLE = ("too slow", "crashed")
MOST_TROUBLES = 3  # cases of one function that may be too slow or end the kernel
SHORTER = 5  # after the first of them a case gets this part of the time
LEAST_SECONDS = 0.5  # for any call
NOT_ASKED = "not asked any more"
QUICK_SECONDS = 1.0  # what took longer is not asked a second time
ASKED_TWICE = 2  # fresh cases; the visible ones are asked in both rounds anyway


@dataclass
class Asking:
    """What one function has answered so far, and the time that it took.

    first : {number of the case: Answer}; a case of a function that was given up has its last answer.
    second : the same for the cases that were asked twice.
    """

    function: object
    sitting: object
    first: dict = field(default_factory=dict)
    second: dict = field(default_factory=dict)
    seconds: float = 0.0
    troubles: int = 0
    final: Answer | None = None  # what every further call would give
    quick: set = field(default_factory=set)

    def open_round(self):
        """Ask the visible cases, in their order."""
        cases = self.function.visible_cases()
        self.first = self._ask(range(len(cases)), cases)
        if all(answer.status == "unanswered" for answer in self.first.values()):
            self.final = Answer("unanswered", final=True)
        return self

    def closed_round(self, cases, telling, seed):
        """Ask all cases in shuffled order, then some fresh ones again.

        Parameters
        ----------
        cases : the visible cases, then the fresh ones.
        telling : numbers of the cases whose answer holds any numbers at all.
        seed : of the grading run.
        """
        self.sitting.sealed = True
        visible = range(len(self.first))
        numbers = [n for n in range(len(cases)) if n not in visible or n in self.quick]
        order = np.random.default_rng([seed, *b"order", *self.function.name.encode()]).permutation(numbers)
        for number, answer in self._ask(order.tolist(), cases).items():
            where = self.second if number in visible else self.first
            where[number] = answer
        fresh = [n for n in order.tolist() if n not in visible and n in self.quick and n in telling]
        self.second |= self._ask(fresh[:ASKED_TWICE], cases)

    def _ask(self, numbers, cases):
        """The answer on each of these cases, or the one that stands for all the rest.

        They are asked together, in one execution, until one of them does harm; then one by one.
        """
        found, left, alone = {}, list(numbers), bool(self.troubles)
        while left and not self.final:
            self.sitting.ready()  # so that a restart costs the function nothing of its time
            asked = left[:1] if alone else left
            started = time.monotonic()
            answers = self.sitting.calls(
                self.function.name, [cases[n].args for n in asked], self._allowance()
            )
            self.seconds += time.monotonic() - started
            for number, answer in zip(asked, answers, strict=False):
                found[number] = answer
                self._learn(number, answer)
            alone = alone or len(answers) < len(asked)
            left = left[len(answers) :]
        return found | dict.fromkeys(left, self.final)

    def _learn(self, number, answer):
        if answer.final:
            self.final = answer
        elif answer.status in TROUBLE:
            self.troubles += 1
            if self.troubles == MOST_TROUBLES or self.seconds > 2 * self.function.seconds:
                self.final = Answer(answer.status, detail=NOT_ASKED, final=True)
        elif answer.seconds < QUICK_SECONDS:
            self.quick.add(number)

    def _allowance(self):
        whole = self.function.seconds
        if not self.troubles:
            return max(LEAST_SECONDS, whole - self.seconds)
        return max(LEAST_SECONDS, min(whole / SHORTER, 2 * whole - self.seconds))
