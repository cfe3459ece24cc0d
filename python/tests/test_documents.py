"""The programs in the documents run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "python/README.md"])
def test_every_program_in_a_document_runs(name, tmp_path, monkeypatch):
    text = (ROOT / name).read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    for package in ["torch", "jax", "gymnasium", "stable_baselines3"]:
        if any(package in block for block in blocks):
            pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    there: dict = {}
    for block in blocks:
        exec(compile(block, name, "exec"), there)
