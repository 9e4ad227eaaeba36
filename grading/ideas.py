"""Which wrong ideas an answer holds: one that explains all of it, or one for each of its values."""

from course_utils.compare import mismatch
from grading.paper import RAISED


def recognise(sheet, answers, telling):
    """Find the wrong ideas that answer as the student did.

    Parameters
    ----------
    sheet : the ``Paper`` of the run.
    answers : the student's answer to each case.
    telling : numbers of the cases that count here; one without a single number says nothing about an idea.

    Returns
    -------
    ({name: advice}, whether they explain all that is wrong)
    """
    if any(answer.final for answer in answers):  # some cases were not asked
        return {}, False
    named = {
        name: advice
        for name, (advice, theirs) in sheet.ideas.items()
        if all(_same(theirs[number], answers[number]) for number in telling)
    }
    return (named, True) if named else _by_value(sheet, answers, telling)


def agree(one, other):
    """Whether two answers are the same within the tolerances."""
    try:
        return mismatch(one, other) is None
    except (TypeError, ValueError):  # neither numbers nor text
        return False


def _same(idea, answer):
    if idea is RAISED:
        return answer.status == "raised"
    return answer.status == "ok" and agree(idea, answer.value)


def _by_value(sheet, answers, telling):
    """The ideas that explain some of several values, in an answer whose other values are wrong too.

    An idea counts when the student got every value wrong that it gets wrong, in its way.
    """
    right = [sheet.expected[number] for number in telling]
    mine = [answers[number].value if answers[number].status == "ok" else None for number in telling]
    if not right or not _of_one_length([*right, *mine]):
        return {}, False
    named, unexplained = {}, _differing(right, mine)
    for name, (advice, given) in sheet.ideas.items():
        idea = [given[number] for number in telling]
        if not _of_one_length([right[0], *idea]):
            continue
        its_own = _differing(right, idea)
        if its_own and not its_own & _differing(idea, mine):
            named[name] = advice
            unexplained -= its_own
    return named, not unexplained


def _of_one_length(values):
    """Whether all are several values, and equally many."""
    return all(isinstance(value, (tuple, list)) for value in values) and len({*map(len, values)}) == 1


def _differing(ones, others):
    """The positions at which some case differs."""
    pairs = [zip(one, other, strict=True) for one, other in zip(ones, others, strict=True)]
    return {place for pair in pairs for place, (one, other) in enumerate(pair) if not agree(one, other)}
