"""What a platform called the files that were collected: feedback goes back under those names."""

import json
from pathlib import Path

from grading.errors import UserError
from grading.files import PRIVATE, write_text


def remember(folder, exercise, origins):
    """Keep where files came from, beside the students' folders; what is known of others stays.

    Parameters
    ----------
    origins : {student: {"lms": platform, "path": in its download, "name", "number": of the student there}}
    """
    if origins:
        text = json.dumps(recall(folder, exercise) | origins, indent=1, ensure_ascii=False)
        write_text(_file(folder, exercise), text + "\n", PRIVATE)


def recall(folder, exercise):
    """What was kept by all collections of an exercise; nothing where there was none.

    Raises
    ------
    UserError : when the file cannot be read.
    """
    path = _file(folder, exercise)
    try:
        origins = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        origins = None
    if not isinstance(origins, dict) or not all(map(_is_origin, origins.values())):
        raise UserError(f"{path} is damaged; delete it and run course collect again")
    return origins


def _is_origin(origin):
    return isinstance(origin, dict) and {"lms", "path", "name", "number"} <= origin.keys()


def _file(folder, exercise):
    return Path(folder) / f".collected-{exercise}.json"
