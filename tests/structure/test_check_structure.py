"""scripts/check_structure on small trees: each offence is reported to the letter, a good tree passes.

    python3 -m unittest discover -s tests/structure
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Not the repository of a hook that runs this.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
# Why a header has no source, and the text of one that does not say it.
LONE = "// Plain data: no source file.\n"
ALONE = "#pragma once\n"
GOOD = {
    "algorithms/rows/row_set.h": "#include <vector>\n",
    "algorithms/neighbors/index.h": '#include "algorithms/rows/row_set.h"\n',
    "algorithms/neighbors/index.cc": '#include "algorithms/neighbors/index_internal.h"\n',
    "algorithms/neighbors/index_internal.h": '#include "algorithms/neighbors/index.h"\n',
    "algorithms/neighbors/index_fast.cc": '// Compiled for AVX2.\n#include "algorithms/neighbors/index.h"\n',
    "arrow_io/file.h": "#include <arrow/api.h>\n",
    "pipelines/run/runtime.h": '#include "arrow_io/file.h"\n',
    "pipelines/fit/fit.cc": '#include "pipelines/fit/fit.h"\n#include "pipelines/run/runtime.h"\n',
    "pipelines/fit/fit.h": '#include "algorithms/neighbors/index.h"\n',
    "plugin/c/error_internal.h": '#include "pipelines/fit/fit.h"\n',
    "plugin/c/spuna.h": "",
    "plugin/c/spuna.cc": '#include "plugin/c/error_internal.h"\n',
    "cli/commands.h": '#include "pipelines/fit/fit.h"\n',
    "tests/support/index_reference.cc": '#include "algorithms/neighbors/index_internal.h"\n',
    "bench/lake.py": "def run():\n    pass\n",
}


def function_of(num_lines, signature="void Long() {", filler="  Call();"):
    return "\n".join([signature, *[filler] * (num_lines - 2), "}"]) + "\n"


class CheckStructure(unittest.TestCase):
    maxDiff = None

    def expect(self, files, *lines):
        """The lines printed for the good tree with these files; the exit code must go with them."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["git", "init", "-q", folder], check=True, env=ENVIRONMENT)
            for name, text in (GOOD | files).items():
                # At the end, where it moves no line.
                text += LONE if name.endswith(".h") and text != ALONE else ""
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            command = [sys.executable, ROOT / "scripts/check_structure", "--root", folder]
            done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
        self.assertEqual(done.stderr, "")
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(lines))
        self.assertEqual(done.returncode, 1 if lines else 0)

    def expect_functions(self, cases):
        """Each case: a file's text, and the line, the length and the name of the function in it."""
        found = "tests/{}_test.cc:{}: {} has {} lines, at most 80 are allowed: give its steps names"
        self.expect(
            {f"tests/{i}_test.cc": case[0] for i, case in enumerate(cases)},
            *(found.format(i, line, name, lines) for i, (_, line, lines, name) in enumerate(cases)),
        )

    def test_a_good_tree_passes(self):
        self.expect({})

    def test_an_include_against_the_arrows(self):
        cases = (
            ("algorithms/rows/{}.h", "<arrow/api.h>", "it knows no Arrow"),
            ("algorithms/rows/{}.h", "<parquet/types.h>", "it knows no Arrow"),
            ("algorithms/rows/{}.h", '"arrow_io/file.h"', "it stands on nothing of ours"),
            ("algorithms/rows/{}.h", '"pipelines/fit/fit.h"', "it stands on nothing of ours"),
            ("algorithms/rows/{}.h", "<filesystem>", "it knows no file and no clock"),
            ("algorithms/rows/{}.h", "<fstream>", "it knows no file and no clock"),
            ("algorithms/rows/{}.h", "<chrono>", "it knows no file and no clock"),
            ("arrow_io/{}.h", '"algorithms/rows/row_set.h"', "it knows no algorithm"),
            ("arrow_io/{}.h", "<armadillo>", "it knows no algorithm"),
            ("pipelines/run/{}.h", '"cli/commands.h"', "arrows point one way"),
            ("plugin/c/{}.h", '"tests/support/a.h"', "it stands on pipelines/"),
            ("plugin/c/{}.h", "<mlpack/core.hpp>", "numbers belong to algorithms/"),
            ("cli/{}.h", '"algorithms/rows/row_set.h"', "it stands on pipelines/"),
            ("cli/{}.h", "<arrow/api.h>", "it stands on pipelines/"),
        )
        files, lines = {}, []
        for i, (pattern, included, reason) in enumerate(cases):
            path = pattern.format(i)
            files[path] = f"#pragma once\n  # include {included}\n"
            lines.append(f"{path}:2: {path.split('/')[0]}/ must not include {included[1:-1]}: {reason}")
        self.expect(files, *lines)

    def test_a_private_header_elsewhere(self):
        index, error = "algorithms/neighbors/index_internal.h", "plugin/c/error_internal.h"
        self.expect(
            {
                "pipelines/run/a.h": f'#include "{index}"\n',
                "plugin/acero/a.h": f'#include "{error}"\n',
                "plugin/python/a.h": '#include "../c/error_internal.h"\n',
            },
            f"pipelines/run/a.h:1: pipelines/ must not include {index}: it is private to algorithms/",
            f"plugin/acero/a.h:1: plugin/ must not include {error}: it is private to plugin/c/",
            f"plugin/python/a.h:1: plugin/ must not include {error}: it is private to plugin/c/",
        )

    def test_an_include_in_a_comment_is_none(self):
        self.expect({"algorithms/rows/a.h": "/*\n#include <chrono>\n*/\n// #include <chrono>\n"})

    def test_a_later_room(self):
        self.expect(
            {"pipelines/options/a.h": '\n#include "pipelines/run/runtime.h"\n'},
            "pipelines/options/a.h:2: "
            "pipelines/options/ must not include pipelines/run/runtime.h: run/ is a later room",
        )

    def test_a_file_in_no_room(self):
        rooms = "options, run, source, matrix, model, fit, score, report, review, monitor, jobs"
        paths = ("pipelines/a.h", "pipelines/cellar/a.h", "pipelines/run/corner/a.h")
        lines = (f"{path}: it is in no room of pipelines/; the rooms are {rooms}" for path in paths)
        self.expect(dict.fromkeys(paths, ""), *lines)

    def test_a_cycle_is_reported_once(self):
        def includes(name):
            return f'#include "pipelines/fit/{name}.h"\n'

        files = {f"pipelines/fit/{name}.h": "" for name in "abc"}
        files |= {"pipelines/fit/b.cc": includes("c"), "pipelines/fit/c.h": includes("a")}
        self.expect(files)
        self.expect(
            files | {"pipelines/fit/a_internal.h": includes("b")},
            "pipelines/fit/a -> pipelines/fit/b -> pipelines/fit/c -> pipelines/fit/a: "
            "these units include each other in a cycle",
        )

    def test_a_room_of_many_units(self):
        files = {f"algorithms/neighbors/unit{i}.h": "" for i in range(15)}
        self.expect(files)
        self.expect(
            files | {"algorithms/neighbors/alone.cc": "// A unit without a header.\n"},
            "algorithms/neighbors/: it has 17 units, at most 16 are allowed: split the room",
        )

    def test_a_long_file(self):
        paths = ("tests/a_test.cc", "bench/a.py", "pipelines/report/a.js", "pipelines/report/a.css")
        self.expect(dict.fromkeys(paths, "\n" * 399))
        found = "it has 400 lines, at most 399 are allowed: split it, one job a file"
        self.expect(dict.fromkeys(paths, "\n" * 400), *(f"{path}: {found}" for path in paths))

    def test_a_file_that_is_ignored_or_not_ours(self):
        paths = ("docs/a.md", "build/a.py", ".deps/a.py", "made/a.py")
        self.expect(dict.fromkeys(paths, "\n" * 400) | {".gitignore": "made/\n"})

    def test_a_long_function(self):
        test_case, method = "BOOST_AUTO_TEST_CASE(it_works)", "  void Long() override {"
        cases = (
            (function_of(81), 1, 81, "Long"),
            ("template <typename T>\n" + function_of(81), 1, 82, "Long"),
            (function_of(81, "bool A::operator==(const A& b) const {"), 1, 81, "A::operator=="),
            (function_of(81, "Row::Row(int a) : a_{a}, b_(f(a) != 0) {"), 1, 81, "Row::Row"),
            (function_of(81, "NB_MODULE(_spuna, module) {"), 1, 81, "NB_MODULE(_spuna)"),
            ("BOOST_AUTO_TEST_SUITE(a)\n\n" + function_of(81, test_case + " {"), 3, 81, test_case),
            ("namespace a {\nclass A {\n public:\n" + function_of(81, method) + "};\n}\n", 4, 81, "Long"),
            ("template <class T>\nstruct A {\n" + function_of(81, method) + "};\n", 3, 81, "Long"),
            ('extern "C" {\n' + function_of(81) + "}\n", 2, 81, "Long"),
            ("void Long() {\n" + "  f([] {\n    g();\n  });\n" * 27 + "}\n", 1, 83, "Long"),
        )
        self.expect_functions(cases)
        self.expect({"tests/a_test.cc": function_of(80)})

    def test_braces_that_are_none(self):
        quoted = ('f("}\\"}");', "f('}', '\\'', 1'000, '}');", 'f(R"x(" } )x");')
        fillers = ("// }", "/* } */ f();", "#define A }", *quoted)
        self.expect_functions([(function_of(81, filler=filler), 1, 81, "Long") for filler in fillers])

    def test_what_is_no_function(self):
        signatures = (
            "namespace a {",
            "class A : public B {",
            "template <class T>\nstruct A {",
            "enum class A : int {",
            'extern "C" {',
            "constexpr Row kRows[] = {",
            "const std::vector<Row> kRows{",
            "const auto kCall = [](int a) {",
        )
        texts = (function_of(90, signature, "  // A line.") for signature in signatures)
        self.expect({f"tests/{i}_test.cc": text for i, text in enumerate(texts)})

    def test_braces_that_do_not_match(self):
        self.expect(
            {"tests/a_test.cc": "#if A\nvoid f() {\n#else\nvoid g() {\n#endif\n}\n"},
            "tests/a_test.cc: its functions cannot be measured: expected as many '{' as '}' but found 2 and 1",
        )

    def test_a_long_python_function(self):
        text = "@wrap\ndef long():\n" + "    call()\n" * 79
        self.expect(
            {"bench/a.py": text, "bench/b.py": text + "    call()\n"},
            "bench/b.py:2: long has 81 lines, at most 80 are allowed: give its steps names",
        )

    def test_a_header_without_a_source(self):
        reason = "it has no source file of its own: say why in a comment that names the source"
        self.expect(
            {"arrow_io/a.h": ALONE, "plugin/c/b_internal.h": ALONE, "cli/c.h": ALONE, "cli/c.cc": ""},
            f"arrow_io/a.h:1: {reason}",
            f"plugin/c/b_internal.h:1: {reason}",
        )

    def test_a_source_without_a_header(self):
        paths = ("algorithms/rows/a.cc", "arrow_io/a.cc", "pipelines/run/a.cc", "plugin/c/a.cc", "cli/a.cc")
        reason = "it has no header of its own: say why in a comment before its first #include"
        late = dict.fromkeys(paths, "#include <vector>\n// Too late.\n")
        self.expect(late, *(f"{path}:1: {reason}" for path in paths))
        self.expect(dict.fromkeys(paths, "// The program begins here.\n#include <vector>\n"))
        self.expect(late | {path.replace(".cc", "_internal.h"): "" for path in paths})


if __name__ == "__main__":
    unittest.main()
