"""When exercises are due, for whom later, and what a day costs: ``deadlines.toml`` of a class.

The file lies beside the gradebook and governs all exercises: one that it does not name has no due date.
"""

import math
import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from grading.bank import exercise_names
from grading.errors import UserError

FILE = "deadlines.toml"
DAY = 86400  # seconds
FIRST_YEAR, LAST_YEAR = 1970, 2999
RULE = ("points_a_day", "percent_a_day", "at_most", "grace_minutes")


@dataclass(frozen=True)
class Rule:
    """What each day begun costs, in points or in percent of an exercise's points; ``at_most`` likewise."""

    a_day: float
    in_percent: bool = False
    at_most: float = math.inf
    grace: float = 0.0  # seconds in which nothing is taken off

    def penalty(self, seconds, max_score):
        """The points to take off.

        >>> Rule(10, in_percent=True).penalty(1.5 * 86400, 20)
        4.0
        """
        if seconds <= self.grace:
            return 0.0
        unit = max_score / 100 if self.in_percent else 1.0
        return round(min(days_late(seconds) * self.a_day, self.at_most) * unit, 2)


@dataclass(frozen=True)
class Deadline:
    """When an exercise is due, in UTC, for whom later, and the rule after that."""

    due: datetime
    rule: Rule | None = None
    extensions: dict[str, datetime] = field(default_factory=dict)


def days_late(seconds):
    """Days begun after the due date."""
    return math.ceil(seconds / DAY)


def read_deadlines(folder):
    """The deadlines of a class: {exercise: Deadline}, or None where its folder holds no such file.

    Raises
    ------
    UserError : naming the entry that cannot be used, and how it should look.
    """
    path = Path(folder) / FILE
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{FILE} cannot be read as TOML: {error}") from None
    zone, rule = _zone(data.pop("time_zone", None)), _rule(data.pop("rule", None), "rule")
    _demand_known(data, exercise_names(), "the file", "time_zone, rule and exercises such as ex02")
    return {exercise: _deadline(exercise, entry, rule, zone) for exercise, entry in data.items()}


def _zone(name):
    try:
        return ZoneInfo(name) if name is not None else None
    except (ValueError, TypeError, OSError, KeyError):
        raise UserError(
            f"{FILE}: there is no time zone {name!r}; write for instance Europe/Berlin or UTC"
        ) from None


def _rule(entry, where):
    if entry is None:
        return None
    _demand_table(entry, where)
    _demand_known(entry, RULE, f"[{where}]", ", ".join(RULE))
    for name, value in entry.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise UserError(f"{FILE}: {name} in [{where}] has to be a number, 0 or more; it is {value!r}")
    if ("points_a_day" in entry) == ("percent_a_day" in entry):
        raise UserError(f"{FILE}: [{where}] needs either points_a_day or percent_a_day")
    in_percent = "percent_a_day" in entry
    a_day = entry["percent_a_day" if in_percent else "points_a_day"]
    return Rule(a_day, in_percent, entry.get("at_most", math.inf), 60 * entry.get("grace_minutes", 0))


def _deadline(exercise, entry, rule, zone):
    _demand_table(entry, exercise)
    _demand_known(entry, ("due", "rule", "extensions"), f"[{exercise}]", "due, rule and extensions")
    if "due" not in entry:
        raise UserError(f"{FILE}: [{exercise}] needs a due date, e.g. due = 2026-11-15 23:59:00")
    due = _time(entry["due"], f"due in [{exercise}]", zone)
    where, extensions = f"{exercise}.extensions", entry.get("extensions", {})
    _demand_table(extensions, where)
    later = {
        student: _later(due, value, f"{student} in [{where}]", zone) for student, value in extensions.items()
    }
    return Deadline(due, _rule(entry.get("rule"), f"{exercise}.rule") or rule, later)


def _later(due, value, where, zone):
    """The due date of one student, who has a date or a number of days more."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 3650:
        value, zone = due + timedelta(days=value), None
    later = _time(value, where, zone, " or a number of days")
    if later < due:
        raise UserError(f"{FILE}: {where} is before the due date; did you mean another day?")
    return later


def _time(value, where, zone, otherwise=""):
    if not isinstance(value, datetime):
        raise UserError(
            f"{FILE}: {where} has to be a date with a time, e.g. 2026-11-15 23:59:00{otherwise}; "
            f"it is {value if isinstance(value, int | float) else str(value)!r}"
        )
    if value.tzinfo is None and zone is None:
        raise UserError(
            f"{FILE}: {where} has no time zone; begin the file with a line such as "
            'time_zone = "Europe/Berlin"'
        )
    if not FIRST_YEAR <= value.year <= LAST_YEAR:
        raise UserError(f"{FILE}: {where} is in the year {value.year}; leave out what is never due")
    return (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(UTC)


def _demand_table(entry, where):
    if not isinstance(entry, dict):
        raise UserError(f"{FILE}: {where} has to be a section, [{where}]")


def _demand_known(entry, known, where, listed):
    unknown = sorted(set(entry) - set(known))
    if unknown:
        raise UserError(f"{FILE}: {where} knows no {unknown[0]!r}; it takes {listed}")
