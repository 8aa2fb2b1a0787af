"""What the judging scripts share: the binary under judgement, fresh copies of subjects, tables.

Everything is written below `target/judge/`, which the repository ignores. The scripts need Python
3.9 and its standard library, cargo, and a registry that cargo can reach.

The binary is the one that the environment variable TESTSMITH names; without it, a release build of
this repository.
"""

import argparse
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
REPOSITORY = SCRIPTS.parent
WORK = REPOSITORY / "target" / "judge"

# Four crates of different kinds: parsers, text metrics, a container.
DEFAULT_SUBJECTS = ["semver@1.0.28", "strsim@0.11.1", "fixedbitset@0.5.7", "url@2.5.8"]

# Parsers, containers, text, numbers, times.
TWELVE_SUBJECTS = [
    "semver@1.0.28",
    "strsim@0.11.1",
    "fixedbitset@0.5.7",
    "bit-vec@0.10.1",
    "roaring@0.12.0",
    "ropey@1.6.1",
    "rust_decimal@1.43.0",
    "statrs@0.19.1",
    "time@0.3.55",
    "chrono@0.4.45",
    "url@2.5.8",
    "base64@0.23.1",
]

# Those, and what is generic, borrows, takes closures or lives by traits.
TWENTY_SIX_SUBJECTS = [
    "semver@1.0.28",
    "strsim@0.11.1",
    "hex@0.4.3",
    "base64@0.23.1",
    "textwrap@0.16.4",
    "unicode-segmentation@1.13.3",
    "fixedbitset@0.5.7",
    "bit-vec@0.10.1",
    "slab@0.4.12",
    "arrayvec@0.7.8",
    "smallvec@1.16.4",
    "either@1.19.0",
    "indexmap@2.14.2",
    "priority-queue@2.7.0",
    "petgraph@0.8.3",
    "roaring@0.12.0",
    "ropey@1.6.1",
    "bytes@1.12.1",
    "num-rational@0.4.2",
    "ordered-float@5.5.1",
    "rust_decimal@1.43.0",
    "statrs@0.19.1",
    "geo-types@0.7.20",
    "time@0.3.55",
    "chrono@0.4.45",
    "url@2.5.8",
]

# Their dev-dependencies don't build from the published source alone.
WITHOUT_DEV = {"rust_decimal", "time"}

REGRESSION = "testsmith_regression"
FAILURES = "testsmith_failures"


class Trouble(Exception):
    """Something that keeps a script from judging, in words for its user."""


@dataclass(frozen=True)
class Subject:
    """A published crate."""

    name: str
    version: str

    @classmethod
    def parse(cls, text):
        match = re.fullmatch(r"([A-Za-z0-9_-]+)@(\d+\.\d+\.\d+\S*)", text)
        if not match:
            raise argparse.ArgumentTypeError(f"{text!r} is not NAME@VERSION, as in semver@1.0.28")
        return cls(*match.groups())

    def __str__(self):
        return f"{self.name}@{self.version}"

    @property
    def slug(self):
        """Its name as a file."""
        return f"{self.name}-{self.version}"


def main(script):
    """Runs a script's function; its answer is the exit code, and `Trouble` is 2."""
    try:
        sys.exit(script())
    except Trouble as trouble:
        sys.exit(die(trouble))
    except KeyboardInterrupt:
        sys.exit(130)


def die(trouble):
    print(f"{Path(sys.argv[0]).name}: {trouble}", file=sys.stderr)
    return 2


def say(text):
    """Progress, kept apart from the table."""
    print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def arguments(doc, time):
    """The options that all scripts have."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--time", default=time, help="how long to explore (default: %(default)s)")
    return parser


def add_subjects(parser, default=DEFAULT_SUBJECTS):
    parser.set_defaults(default_subjects=default)
    parser.add_argument(
        "subjects",
        nargs="*",
        type=Subject.parse,
        metavar="NAME@VERSION",
        help="published crates (default: " + " ".join(default) + ")",
    )
    parser.add_argument("--seed", type=int, default=0, help="testsmith's seed (default: 0)")


def subjects(options):
    return options.subjects or [Subject.parse(text) for text in options.default_subjects]


def environment(**more):
    """Ours without what would make copies share a target directory or its settings."""
    env = {name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"}
    env.update(more)
    return env


def run(command, cwd=None, accept=(0,), timeout=None, env=None):
    """Runs to the end, both streams captured as text; another exit code than `accept` is trouble."""
    command = [str(word) for word in command]
    shown = " ".join(command)
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env or environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise Trouble(f"cannot run {error.filename}: no such file or program") from None
    try:
        done = subprocess.CompletedProcess(command, None, *process.communicate(timeout=timeout))
    except BaseException as error:
        # What it started ends with it, or a test that loops would go on for ever.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise Trouble(f"`{shown}` was still running after {timeout} s") from None
        raise
    done.returncode = process.returncode
    if accept is not None and done.returncode not in accept:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-30:]
        raise Trouble("\n  ".join([f"`{shown}` ended with {done.returncode}:", *last]))
    return done


def messages(done):
    """The JSON lines that `cargo --message-format=json` printed."""
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def take_turn():
    """Waits until no other run of this script uses its directories; ours ends with the process."""
    global turn
    WORK.mkdir(parents=True, exist_ok=True)
    name = Path(sys.argv[0]).name
    turn = open(WORK / f"{name}.lock", "w")
    try:
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say(f"another {name} is at work here; waiting for it to end")
        fcntl.flock(turn, fcntl.LOCK_EX)


def testsmith():
    """The binary to judge."""
    named = os.environ.get("TESTSMITH")
    if named:
        binary = shutil.which(named)
        if not binary:
            raise Trouble(f"TESTSMITH is {named}, which is not a program")
        return Path(binary).resolve()
    say("building testsmith (set TESTSMITH to judge another binary)")
    command = ["cargo", "build", "--release", "-p", "cargo-testsmith", "--message-format=json"]
    for message in messages(run(command, cwd=REPOSITORY, env=dict(os.environ))):
        if message.get("executable") and message["target"]["name"] == "cargo-testsmith":
            return Path(message["executable"])
    raise Trouble("the build made no cargo-testsmith")


def fresh_directory(*parts):
    """An empty directory below `target/judge`."""
    directory = WORK.joinpath(*parts)
    if directory.exists():
        shutil.rmtree(directory)
    directory.mkdir(parents=True)
    return directory


def fetch(subject, destination):
    """The published source, which then is nobody's but ours."""
    flags = ["--no-dev"] if subject.name in WITHOUT_DEV else []
    run([SCRIPTS / "fetch-crate", *flags, subject.name, subject.version, destination])


def generate(binary, package, time, seed, record, more=()):
    """Lets testsmith write its tests into `package`, and answers its record."""
    run(command(binary, package, time, seed, record, more))
    return read_record(record)


def command(binary, package, time, seed, record, more=()):
    """The command that lets testsmith write its tests into `package`."""
    words = [binary, "testsmith", "--manifest-path", package / "Cargo.toml"]
    return [*words, "--time", time, "--seed", seed, "--json", record, "--quiet", *more]


def read_record(record):
    """The record that testsmith wrote."""
    try:
        written = json.loads(record.read_text())
    except (OSError, ValueError) as error:
        raise Trouble(f"testsmith ended well but left no record: {error}") from None
    if written["schema"] != 1:
        raise Trouble(f"the record has schema {written['schema']}; these scripts read 1")
    return written


def require_tarpaulin():
    if run(["cargo", "tarpaulin", "--version"], accept=None).returncode != 0:
        raise Trouble(
            "cargo-tarpaulin is missing; install it with `cargo install cargo-tarpaulin --locked`"
        )


def cover(package, output, left_out=()):
    """Which lines of each source file the regression tests cover by cargo-tarpaulin: path to line
    to bool."""
    command = ["cargo", "tarpaulin", "--manifest-path", package / "Cargo.toml"]
    command += ["--ignore-config", "--engine", "Llvm", "--test", REGRESSION]
    command += ["--exclude-files", *left_out, "tests/*"]
    command += ["--out", "Json", "--output-dir", output]
    run(command, cwd=package)
    report = json.loads((output / "tarpaulin-report.json").read_text())
    covered = {}
    for file in report["files"]:
        path = "/".join(part.strip("/") for part in file["path"])
        lines = {trace["line"]: trace["stats"]["Line"] > 0 for trace in file["traces"]}
        covered[path] = lines
    return covered


def print_table(head, rows):
    """Columns aligned: the first to the left, the others to the right."""
    rows = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    for index, row in enumerate(rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join(cells).rstrip())
        if index == 0:
            print("  ".join("-" * width for width in widths))
    sys.stdout.flush()
