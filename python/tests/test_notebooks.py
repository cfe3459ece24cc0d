"""Every notebook runs, in a kernel of its own, within half a minute on a quiet machine."""

import time
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in code), "notebooks are committed without outputs"
    for package in ["torch", "jax", "stable_baselines3"]:
        if any(f"import {package}" in cell.source or f"from {package}" in cell.source for cell in code):
            pytest.importorskip(package)
    begin = time.monotonic()
    # In an empty folder: notebooks need no files beside them.
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    print(f"{path.stem}: {time.monotonic() - begin:.0f} s")
