"""The package is clean for mypy and ruff, and its stubs say what the modules have."""

import ast
import subprocess
import sys

import pytest
from conftest import ROOT

from spuna import _spuna


def check(*command, **settings):
    result = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, **settings)
    assert result.returncode == 0, result.stdout + result.stderr


def test_ruff():
    check("ruff", "check", "--no-cache", ROOT / "python")


def test_mypy():
    check("mypy", "--ignore-missing-imports", "--cache-dir=/dev/null", ROOT / "python" / "spuna")


@pytest.mark.parametrize("module", ["_api", "_sklearn"])
def test_a_stub_is_its_module(module, tmp_path):
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = true\n")
    check("mypy.stubtest", "--mypy-config-file=mypy.ini", "--ignore-missing-stub", f"spuna.{module}", cwd=tmp_path)


def test_the_stub_of_the_extension_has_its_names():
    # stubtest stumbles over the metaclass of the extension's classes.
    stub = ast.parse((ROOT / "python" / "spuna" / "_spuna.pyi").read_text()).body

    def names(body):
        return {node.name for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}

    assert names(stub) | {"version"} == {name for name in vars(_spuna) if not name.startswith("_")}
    for node in stub:
        if isinstance(node, ast.ClassDef):
            members = {name for name in vars(getattr(_spuna, node.name)) if not name.startswith("_")}
            assert names(node.body) - {"__init__"} == members


def test_what_users_write_is_understood(tmp_path):
    (tmp_path / "use.py").write_text(
        "import spuna\n"
        "model: spuna.Model = spuna.fit('t', 'p', recipe='fast', max_clean_loss=0.02)\n"
        "cleaned: spuna.Cleaned = spuna.clean('t', 'p', group_by=['day'], on_bad_file='skip')\n"
        "text: str = cleaned.summary() + spuna.plan('t', 'p').summary()\n"
        "found: bool = spuna.monitor(model, 'x', state='s.json', level=0.01).found\n"
    )
    check("mypy", "--cache-dir=/dev/null", "use.py", cwd=tmp_path)
    (tmp_path / "wrong.py").write_text("import spuna\nspuna.fit('t', 'p', recipe='quick', alpa=3)\n")
    command = [sys.executable, "-m", "mypy", "--cache-dir=/dev/null", "wrong.py"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert 'Unexpected keyword argument "alpa"' in result.stdout
    assert 'Argument "recipe" to "fit" has incompatible type' in result.stdout
