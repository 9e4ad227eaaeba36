"""Lines that only a notebook understands: left out, told, and every other line keeps its number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.magics import MOST_CHARACTERS, left_out, runnable

LEFT_OUT = {
    "%%time\nx = 1": "\nx = 1",
    "\n  %%capture out\nx = 1": "\n\nx = 1",
    "# mine\n%%timeit\nx = 1": "# mine\npass\nx = 1",
    "%time x = 1": "x = 1",
    "%timeit x": "pass",
    "%pip install torch": "pass",
    "!pip install 'torch\nx = (1\n  % 2)": "pass\nx = (1\n  % 2)",
    "!echo (((\nx = 1\n!echo )\ny = 2": "pass\nx = 1\npass\ny = 2",
    "!ls \\\n  -l\nx = 1": "pass\n\nx = 1",
    "if x:\n    %cd ..": "if x:\n    pass",
    "print?\nnp.sum??\n?print": "pass\npass\npass",
    "files = !ls\nt = %timeit -o x": "files = None\nt = None",
    "%%bash\nls\n": "\n\n",
    "from google.colab import drive\ndrive.mount(\n    '/content')": "pass\npass\n",
    "import google.colab": "pass",
    "os.chdir('/content')": "pass",
}
KEPT = [
    "x = 7 % 2 != 1",
    "y = '''\n%cd\n!ls\n'''",
    "z = (1\n% 2)",
    "print('really?')",
    "%%writefile mine.py\nx = 1",
    "try:\n    import google.colab\nexcept ImportError:\n    pass",
    "if x:\n        y = 1\n    %cd",
]


@pytest.mark.parametrize(("source", "run"), LEFT_OUT.items())
def test_what_is_no_python_is_left_out(source, run):
    assert runnable(source) == run
    assert left_out(source)


@pytest.mark.parametrize("source", KEPT)
def test_what_python_understands_or_a_student_needs_stays(source):
    assert (runnable(source), left_out(source)) == (source, [])


@pytest.mark.parametrize("mode", ["inline", "notebook", "widget"])
def test_where_plots_appear_is_left_out_silently(mode):
    assert (runnable(f"%matplotlib {mode}\nx = 1"), left_out(f"%matplotlib {mode}")) == ("pass\nx = 1", [])


def test_a_very_long_cell_is_run_as_it_is():
    source = "%%time\n" + "#" * MOST_CHARACTERS
    assert runnable(source) == source


PIECES = [
    "%",
    "!",
    "?",
    "%%time",
    "\n",
    "    ",
    "(",
    ")",
    '"""',
    "'",
    "\\",
    "x",
    "=",
    "drive.mount(",
    "é",
    "\x00",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_lines_keep_their_numbers_whatever_the_text(source):
    assert runnable(source).count("\n") == source.count("\n")
