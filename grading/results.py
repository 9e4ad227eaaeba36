"""The outcome of grading one submission, in the words that students and instructors read."""

from dataclasses import asdict, dataclass, field, fields

from grading.errors import in_words

CORRECT = "correct"
WRONG = "wrong"
RAISED = "raised"
TOO_SLOW = "too slow"
CRASHED = "crashed"
NOT_ANSWERED = "not answered"
UNREADABLE = "unreadable"
TO_BE_MARKED = "to be marked"  # a written answer that waits for a person
MARKED = "marked"  # points that a person gave in the gradebook

FAILED = ("grading it failed", "graded, but not in the gradebook")
"""How a problem begins that is no fault of the file."""


def failure(error, what=FAILED[0]):
    """The problem of a submission at which the grader itself failed."""
    return f"{what} ({in_words(error)})"


@dataclass
class CaseResult:
    """One case of a function: its title, whether students may see it, what came of it.

    The last four are of a visible case only, in the form that ``grading.shown`` makes.
    """

    title: str
    visible: bool
    verdict: str
    message: str = ""
    call: str = ""
    expected: str = ""
    answer: str = ""
    curves: dict = field(default_factory=dict)


@dataclass
class QuestionResult:
    """One question: points, verdict, one hint, the wrong ideas that were recognised."""

    name: str
    points: float
    max_points: float
    verdict: str
    hint: str = ""
    misconceptions: list[str] = field(default_factory=list)
    cases: list[CaseResult] = field(default_factory=list)
    text: str = ""  # of a written answer
    seconds: float = field(default=0.0, compare=False)  # that its calls took


@dataclass
class Outcome:
    """One submission: the sum, every question by name, repairs, and how it was run."""

    exercise: str
    questions: dict[str, QuestionResult]
    repairs: list[str] = field(default_factory=list)
    seed: int = 0
    isolation: str = "none"
    problem: str = ""  # why it was not graded, or why its marks are not kept
    attention: str = ""  # why a person should look although it was graded
    digest: str = ""  # SHA-256 of the file that was graded
    seconds: float = field(default=0.0, compare=False)  # from the bytes of the file to this outcome

    @property
    def score(self):
        return round(sum(question.points for question in self.questions.values()), 2)

    @property
    def max_score(self):
        return sum(question.max_points for question in self.questions.values())

    @property
    def failed(self):
        """Whether the grader itself failed, which is no fault of the file."""
        return self.problem.startswith(FAILED)

    @property
    def needs_human(self):
        """Whether a person has to look: at the file, or because a written answer is to be marked."""
        return bool(self.problem or self.attention) or any(
            q.verdict == TO_BE_MARKED for q in self.questions.values()
        )

    def to_dict(self):
        """The outcome in JSON types, totals included."""
        totals = {"score": self.score, "max_score": self.max_score, "needs_human": self.needs_human}
        return totals | asdict(self)

    @classmethod
    def from_dict(cls, data):
        """The outcome again, from what ``to_dict`` made and a notebook or a file kept."""
        questions = {
            name: QuestionResult(**_known(QuestionResult, question) | {"cases": _cases(question)})
            for name, question in data["questions"].items()
        }
        return cls(**_known(cls, data) | {"questions": questions})


def _cases(question):
    return [CaseResult(**_known(CaseResult, case)) for case in question.get("cases", ())]


def _known(kind, data):
    """The entries that are fields; totals, and what another version kept, are left out."""
    return {field.name: data[field.name] for field in fields(kind) if field.name in data}
