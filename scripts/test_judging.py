"""Tests of what the judging scripts share, and of a few scripts as a whole.

    python3 -m unittest discover --start-directory scripts

Scripts run in a copy of this directory, and what they would run (cargo, rustc, testsmith) is played by
small programs, so that there is neither network nor cargo in it.
"""

import fcntl
import json
import os
import py_compile
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent

# These have no rows: the first two make one directory, the others look at one page, one package and one tree,
# and what walls hold is asked as a whole.
WITHOUT_ROWS = {"fetch-crate", "plant-faults", "judge-report", "judge-package", "module-graph", "count-lines",
                "judge-walls", "draw-review"}

# A script with a row for each letter. It notes what it measures, and does to itself what the environment
# says before it measures a letter.
LETTERS = """\
import os, signal, sys
sys.dont_write_bytecode = True
import judging

def measure(letter):
    if letter == os.environ.get("STOP_AT"):
        os.kill(os.getpid(), getattr(signal, os.environ["STOP_BY"]))
    if letter == os.environ.get("TROUBLE_AT"):
        raise judging.Trouble("no such letter")
    with open(os.environ["NOTES"], "a") as notes:
        notes.write(letter)
    return (letter.upper(), {1: ord(letter) / 7})

def main():
    parser = judging.arguments(__doc__, time="1s")
    parser.add_argument("--shown", action="store_true")
    parser.add_argument("subjects", nargs="*")
    options = parser.parse_args()
    judging.take_turn()
    rows = judging.Rows(options, options.subjects, [os.environ["TESTSMITH"]], apart={"shown"})
    table = []
    for letter in options.subjects:
        try:
            large, numbers = rows.row(letter, measure, letter)
        except judging.Trouble:
            large, numbers = "-", {"1": 0}
        table.append([letter, large, numbers["1"]])
    judging.print_table(["letter", "large", "number"], table)

judging.main(main)
"""

# What `fetch-crate` asks cargo for is a directory with a source; each crate gets the same.
CARGO = """\
import json, os, re, sys
if sys.argv[1] == "--version":
    sys.exit()
assert sys.argv[1] == "metadata", sys.argv
manifest = os.environ["SOURCE"] + "/Cargo.toml"
packages = [{"id": "wanted", "manifest_path": manifest}]
nodes = [{"id": "root", "dependencies": ["wanted"]}]
print(json.dumps({"resolve": {"root": "root", "nodes": nodes}, "packages": packages}))
"""

# A record whose numbers depend on the command only, and a test file. It notes its runs, and kills the
# script that started it at the run, of the crate, that the environment names.
BINARY = """\
import json, os, pathlib, signal, sys, time, zlib
words = sys.argv
manifest = words[words.index("--manifest-path") + 1]
package = pathlib.Path(manifest).parent
crate = package.parent.name
with open(os.environ["NOTES"], "a") as notes:
    notes.write(crate + "\\n")
n_runs = pathlib.Path(os.environ["NOTES"]).read_text().split().count(crate)
if f"{crate} {n_runs}" == os.environ.get("KILL_AT"):
    pathlib.Path(os.environ["NOTES"] + "-pid").write_text(str(os.getpid()))
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
seconds = {"explore": 2.0 + ("--no-instrument" in words), "learn": 0.25, "build": 0.5}
calls = zlib.crc32(crate.encode())
status = "killed" if VERSION == "one" else "survived"
mutants = [{"file": "src/lib.rs", "line": 1, "column": 2, "name": "+ to -", "status": status}] * 2
record = {"schema": 1, "calls": calls, "sequences": calls // 3, "states": 7, "seconds": seconds}
record |= {"tests": [1, 2, 3], "coverage": {"lines": 1}, "mutants": mutants}
pathlib.Path(words[words.index("--json") + 1]).write_text(json.dumps(record))
if "mutants" not in words:
    (package / "tests").mkdir(exist_ok=True)
    (package / "tests/testsmith_regression.rs").write_text(f"// {calls} {VERSION}")
"""


class Scripts(unittest.TestCase):
    """A copy of the scripts, in which they leave what they write."""

    def setUp(self):
        self.home = Path(tempfile.mkdtemp(prefix="test-judging-"))
        self.addCleanup(shutil.rmtree, self.home)
        self.scripts = self.home / "scripts"
        shutil.copytree(HERE, self.scripts, ignore=shutil.ignore_patterns("__pycache__", "test_*"))
        # Scripts write no bytecode but read it, and start in half the time with it.
        py_compile.compile(str(self.scripts / "judging.py"))
        self.program("scripts/letters", LETTERS)
        self.program("bin/cargo", CARGO)
        self.program("bin/rustc", 'print("rustc 1.0.0")\n')
        self.one = self.program("one", 'VERSION = "one"\n' + BINARY)
        self.two = self.program("two", 'VERSION = "two"\n' + BINARY)
        source = self.home / "source"
        (source / "src").mkdir(parents=True)
        (source / "Cargo.toml").write_text('[package]\nname = "wanted"\n')
        self.notes = self.home / "notes"
        self.env = {
            **os.environ,
            "PATH": f"{self.home / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "NOTES": str(self.notes),
            "SOURCE": str(source),
            "TESTSMITH": str(self.one),
        }

    def program(self, name, text):
        path = self.home / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!{sys.executable} -SE\n{text}")
        path.chmod(0o755)
        return path

    def run_script(self, name, *words, code=0, **more):
        command = [sys.executable, str(self.scripts / name), *map(str, words)]
        env = {**self.env, **{name: str(value) for name, value in more.items()}}
        # Whoever runs the tests in the background has ignored Ctrl-C for all of them.
        heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
        done = subprocess.run(
            command, env=env, capture_output=True, text=True, timeout=60, preexec_fn=heed
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def noted(self):
        """What was measured since the last look."""
        text = self.notes.read_text() if self.notes.exists() else ""
        self.notes.unlink(missing_ok=True)
        return text

    def rows_file(self):
        [path] = (self.home / "target/judge/rows").glob("*.jsonl")
        return path


class InterruptedScripts(Scripts):
    """Whatever ends a script, only the row under way is lost, and the table is the same."""

    def uninterrupted(self, *words):
        """The table of a run that nothing disturbs; it leaves nothing behind."""
        table = self.run_script(*words).stdout
        shutil.rmtree(self.home / "target/judge")
        self.noted()
        return table

    def check_resumes(self, by, code):
        table = self.uninterrupted("letters", *"abcd")
        self.run_script("letters", *"abcd", code=code, STOP_AT="c", STOP_BY=by)
        self.assertEqual(self.noted(), "ab")
        done = self.run_script("letters", *"abcd")
        self.assertEqual(self.noted(), "cd")
        self.assertEqual(done.stdout, table)
        self.assertIn("letters: resuming: 2 of 4 rows are known; --fresh measures again", done.stderr)

    def test_resumes_after_a_kill_between_rows(self):
        self.check_resumes("SIGKILL", -signal.SIGKILL)

    def test_resumes_after_ctrl_c(self):
        self.check_resumes("SIGINT", 130)

    def test_resumes_after_a_kill_in_the_middle_of_a_pair(self):
        words = ["measure-copy", "a@1.0.0", "b@1.0.0", "c@1.0.0"]
        table = self.uninterrupted(*words)
        # The original of the second crate was measured, its copy was not.
        self.run_script(*words, code=-signal.SIGKILL, KILL_AT="b-1.0.0 2")
        self.assertEqual(self.noted().split(), ["a-1.0.0"] * 2 + ["b-1.0.0"] * 2)
        done = self.run_script(*words)
        self.assertEqual(self.noted().split(), ["b-1.0.0"] * 2 + ["c-1.0.0"] * 2)
        self.assertEqual(done.stdout, table)
        self.assertIn("resuming: 1 of 3 rows are known", done.stderr)

    def test_what_a_killed_script_started_is_ended(self):
        self.run_script("measure-speed", "a@1.0.0", code=-signal.SIGKILL, KILL_AT="a-1.0.0 1")
        pid = int(Path(f"{self.notes}-pid").read_text())
        # The next run gets the lock when nothing of the killed one is left.
        with open(self.home / "target/judge/measure-speed.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
        self.assertFalse(is_running(pid))


def is_running(pid):
    """Where nobody collects what was orphaned, the dead stay in the list of processes."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class KnownRows(Scripts):
    """Which rows are known, and which are not."""

    def test_nothing_is_said_of_a_first_run(self):
        self.assertEqual(self.run_script("letters", *"ab").stderr, "")

    def test_known_rows_are_not_measured_again(self):
        first = self.run_script("letters", *"ab")
        self.noted()
        # What is shown does not matter to a row, nor which others there are.
        second = self.run_script("letters", "--shown", *"abc")
        self.assertEqual(self.noted(), "c")
        self.assertIn("2 of 3 rows", second.stderr)
        self.assertEqual(second.stdout.splitlines()[:4], first.stdout.splitlines())

    def test_fresh_measures_again_what_is_asked_for_and_keeps_the_rest(self):
        self.run_script("letters", *"abc")
        self.noted()
        done = self.run_script("letters", "--fresh", *"ab")
        self.assertEqual((self.noted(), done.stderr), ("ab", ""))
        self.run_script("letters", *"abc")
        self.assertEqual(self.noted(), "")

    def test_an_interrupted_fresh_run_resumes(self):
        self.run_script("letters", *"abc")
        stop = {"STOP_AT": "b", "STOP_BY": "SIGKILL"}
        self.run_script("letters", "--fresh", *"abc", code=-signal.SIGKILL, **stop)
        self.noted()
        self.run_script("letters", *"abc")
        self.assertEqual(self.noted(), "bc")

    def test_another_option_binary_script_or_rustc_is_another_row(self):
        self.run_script("letters", "a")
        self.run_script("letters", "--time", "2s", "a")
        self.run_script("letters", "a", TESTSMITH=self.two)
        self.program("bin/rustc", 'print("rustc 1.0.1")\n')
        self.run_script("letters", "a")
        self.program("scripts/letters", LETTERS + "\n")
        self.run_script("letters", "a")
        self.assertEqual(self.noted(), "aaaaa")

    def test_a_binary_is_known_by_its_content(self):
        self.run_script("letters", "a")
        elsewhere = shutil.copy(self.one, self.home / "elsewhere")
        self.run_script("letters", "a", TESTSMITH=elsewhere)
        self.assertEqual(self.noted(), "a")

    def test_a_subject_that_is_named_twice_is_measured_twice(self):
        self.run_script("letters", *"aab")
        self.assertEqual(self.noted(), "aab")
        self.assertIn("3 of 3", self.run_script("letters", *"aab").stderr)
        self.assertEqual(self.noted(), "")

    def test_trouble_is_tried_again(self):
        self.run_script("letters", *"abc", TROUBLE_AT="b")
        self.assertEqual(self.noted(), "ac")
        self.run_script("letters", *"abc")
        self.assertEqual(self.noted(), "b")

    def test_a_torn_last_line_is_dropped(self):
        table = self.run_script("letters", *"abc").stdout
        path = self.rows_file()
        path.write_bytes(path.read_bytes()[:-9])
        self.noted()
        done = self.run_script("letters", *"abc")
        self.assertEqual((self.noted(), done.stdout), ("c", table))
        self.assertIn("1 line(s) not wholly written, and dropped", done.stderr)
        for line in path.read_text().splitlines():
            json.loads(line)
        self.assertNotIn("dropped", self.run_script("letters", *"abc").stderr)

    def test_a_torn_first_line_is_dropped(self):
        self.run_script("letters", "a")
        path = self.rows_file()
        path.write_bytes(path.read_bytes()[:9])
        self.noted()
        self.run_script("letters", *"ab")
        self.assertEqual(self.noted(), "ab")
        self.assertEqual(len(path.read_text().splitlines()), 3)


class SameScript(Scripts):
    """scripts/judge-same tells binaries apart, and runs none of them twice on the same crate."""

    def judge(self, before, after, *more, **others):
        return self.run_script("judge-same", "--before", before, "--after", after, *more, **others)

    def test_a_binary_is_the_same_as_itself(self):
        done = self.judge(self.one, self.one, "a@1.0.0", "b@1.0.0")
        self.assertEqual(done.stdout.count("same"), 2)
        self.assertEqual(len(self.noted().split()), 4)

    def test_other_files_are_told_and_kept(self):
        done = self.judge(self.one, self.two, "a@1.0.0", code=1)
        self.assertIn("a@1.0.0: tests/testsmith_regression.rs differs", done.stdout)
        for side, version in [("before", "one"), ("after", "two")]:
            place = self.home / "target/judge/same/a-1.0.0" / side / "testsmith_regression.rs"
            self.assertTrue(place.read_text().endswith(version))
        self.noted()
        again = self.judge(self.two, self.one, "a@1.0.0", code=1)
        self.assertEqual(self.noted(), "")
        self.assertIn("resuming: 2 of 2", again.stderr)

    def test_other_verdicts_are_told(self):
        done = self.judge(self.one, self.two, "--mutants", "a@1.0.0", code=1)
        self.assertIn("src/lib.rs:1:2: + to - #2: killed, then survived", done.stdout)
        self.assertEqual(self.judge(self.one, self.one, "--mutants", "a@1.0.0").returncode, 0)


class Commands(unittest.TestCase):
    """All commands of this directory."""

    def test_every_command_with_rows_offers_fresh(self):
        paths = [path for path in HERE.iterdir() if path.is_file() and not path.suffix]
        self.assertTrue(WITHOUT_ROWS < {path.name for path in paths})
        measuring = sorted(path for path in paths if path.name not in WITHOUT_ROWS)

        def help_of(path):
            command = [sys.executable, str(path), "--help"]
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout

        with ThreadPoolExecutor(2) as pool:
            for path, text in zip(measuring, pool.map(help_of, measuring)):
                with self.subTest(path.name):
                    self.assertIn("measure again what an earlier run has measured", text)
                    usage = text.partition("\n\n")[2].partition("options:")[0]
                    self.assertIn("[--fresh]", usage)
                    self.assertIn("judging.Rows(", path.read_text())


if __name__ == "__main__":
    unittest.main()
