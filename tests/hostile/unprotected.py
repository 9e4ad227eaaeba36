"""The unprotected path: hidden tests in the student's own process, as stock nbgrader runs them.

Here every attack of the suite has to succeed. A kernel of Jupyter's default kind runs the student's cells
and then the test cells, and nbgrader reads the points from the outputs.
"""

import nbformat
from nbgrader.preprocessors import Execute
from nbgrader.utils import determine_grade, is_grade

IMPORTS = "import numpy as np\n"
REFERENCE = """
def reference(alpha, fraction=1 / np.e):
    factor = abs(alpha)
    return np.inf if factor >= 1 else np.log(fraction) / np.log(factor) if factor else 0.0
"""
CASES = "[(0.93, 0.3), (0.71, 0.1), (-0.8, 0.05), (0.5, 0.25)]"
HIDDEN = {
    "allclose": f"""{REFERENCE}
for alpha, fraction in {CASES}:
    expected = reference(alpha, fraction)
    assert np.allclose(memory_horizon(alpha, fraction), expected)
""",
    "abs": "assert abs(memory_horizon(0.5, 0.25) - 2.0) < 1e-6",
    "numpy abs": "assert np.abs(memory_horizon(0.5, 0.25) - 2.0) < 1e-6",
    "not greater": "assert not abs(memory_horizon(0.5, 0.25) - 2.0) > 1e-6",
    "equal": "assert memory_horizon(0.5, 0.25) == 2.0",
    "numpy.testing": "np.testing.assert_allclose(memory_horizon(0.5, 0.25), 2.0, rtol=1e-6)",
    "math": "import math\nassert math.isclose(memory_horizon(0.5, 0.25), 2.0)",
    "torch": """
import torch
assert torch.allclose(torch.as_tensor(memory_horizon(0.5, 0.25)), torch.tensor(2.0))
""",
    "json": "import json\nassert memory_horizon(0.5, 0.25) == json.loads('[2.0]')[0]",
    "pickle": "import pickle\nassert memory_horizon(0.5, 0.25) == pickle.loads(pickle.dumps(2.0))",
    "piped": "import pickle\nassert pickle.loads(pickle.dumps(memory_horizon(0.5, 0.25))) == 2.0",
    "file": "assert memory_horizon(0.5, 0.25) == float(open('expected.txt').read())",
    "helper": """
from course_utils.compare import mismatch
assert mismatch(2.0, memory_horizon(0.5, 0.25)) is None
""",
    "visible": "from course_utils.checks import check\ncheck(memory_horizon)",
    "score": f"{REFERENCE}\n3 * (abs(memory_horizon(0.5, 0.25) - reference(0.5, 0.25)) < 1e-6)",
    "plain": "from course_utils.plain import to_plain\nassert to_plain(memory_horizon(0.5, 0.25)) == 2.0",
    "letter": "assert first_to_settle == 'c'",
}
"""The hidden test cells that teachers write, by what they rely on; each is worth three points."""


def execute(notebook, folder):
    """Run all cells of a notebook in place, in a kernel of Jupyter's default kind, as nbgrader does."""
    Execute(timeout=60, iopub_timeout=60).preprocess(notebook, {"metadata": {"path": str(folder)}})
    return notebook


def marked(source, points=3):
    """A locked test cell, as nbgrader marks it."""
    mark = {
        "grade": True,
        "solution": False,
        "locked": True,
        "points": points,
        "grade_id": "t",
        "schema_version": 3,
    }
    return nbformat.v4.new_code_cell(source, metadata={"nbgrader": mark})


def hidden_test(sources, hidden, folder):
    """Run a student's cells, then a hidden test, whose cell is returned."""
    cells = [nbformat.v4.new_code_cell(source) for source in (IMPORTS, *sources)]
    notebook = execute(nbformat.v4.new_notebook(cells=[*cells, marked(HIDDEN[hidden])]), folder)
    return notebook.cells[-1]


def points_in_process(sources, hidden, folder):
    """The points that stock nbgrader gives a student's cells for a hidden test."""
    return determine_grade(hidden_test(sources, hidden, folder))[0]


def points_as_submitted(data, folder):
    """Run a submission with the test cells that stand in it: {grade_id: points}."""
    notebook = execute(nbformat.reads(data.decode(), as_version=4), folder)
    graded = [cell for cell in notebook.cells if is_grade(cell)]
    return {cell.metadata.nbgrader.grade_id: determine_grade(cell)[0] for cell in graded}


def output_of(source, folder):
    """Run one cell; returns everything that it printed or raised."""
    notebook = execute(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), folder)
    return str(notebook.cells[0].outputs)
