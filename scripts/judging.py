"""What the judging scripts share: the binary under judgement, fresh copies of subjects, tables.

Everything is written below `target/judge/`, which the repository ignores. The scripts need Python
3.9 and its standard library, cargo, and a registry that cargo can reach.

The binary is the one that the environment variable TESTSMITH names; without it, a release build of
this repository.

A script that measures several rows keeps each one as soon as it is finished (`Rows`), so that the same
command, given again after Ctrl-C, a kill or a reboot, measures only what is missing.
"""

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time as clock
from collections import Counter
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

# Part of what kept rows are known by. Raise it when a change to this file changes what scripts measure;
# a change to a script itself is noticed without that.
SHAPE = 1

# The lock that this run holds, and the pipe to its warden; see `take_turn`.
turn, warden = None, None


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


def arguments(doc, time=None):
    """The options that all scripts have; --time only where there is a default for it."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if time:
        parser.add_argument("--time", default=time, help="how long to explore (default: %(default)s)")
    parser.add_argument(
        "--fresh", action="store_true", help="measure again what an earlier run has measured"
    )
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
    with watched(process):
        try:
            done = subprocess.CompletedProcess(command, None, *process.communicate(timeout=timeout))
        except BaseException as error:
            # What it started ends with it, or a test that loops would go on for ever.
            with contextlib.suppress(ProcessLookupError):
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
    post_warden()


def post_warden():
    """Starts a process that outlives this one if this one is killed, and then ends what it had started.

    Without it, what a killed script had started would go on, write into the directories that the next
    run of the script wants to be empty, and slow down what that run measures. The lock is open in the
    warden, too, so the next run waits until the warden is done.
    """
    global warden
    read_from, write_to = os.pipe()
    if os.fork():
        os.close(read_from)
        warden = write_to
        return
    try:
        # Ctrl-C in a terminal would reach it, too, and end it before its time.
        os.setsid()
        os.close(write_to)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        groups = set()
        with open(read_from, "rb") as lines:
            for line in lines:
                change = groups.add if line.startswith(b"+") else groups.discard
                change(int(line[1:]))
        for group in groups:
            end_group(group)
    finally:
        # Nothing of the script may run a second time in here.
        os._exit(0)


def end_group(group, patience=5):
    """Kills a process group and waits until it is gone, but not for ever."""
    end = clock.monotonic() + patience
    with contextlib.suppress(ProcessLookupError):
        while clock.monotonic() < end:
            os.killpg(group, signal.SIGKILL)
            clock.sleep(0.02)


@contextlib.contextmanager
def watched(process):
    """Tells the warden, while a process with a group of its own runs, that it is to be ended with us."""

    def tell(sign):
        # A warden that somebody killed must not end a measurement.
        if warden is not None:
            with contextlib.suppress(OSError):
                os.write(warden, f"{sign}{process.pid}\n".encode())

    tell("+")
    try:
        yield process
    finally:
        tell("-")


class Rows:
    """The finished rows of a script. They outlive its run, however that ends.

    They are lines of JSON in `target/judge/rows/`, in one file for each script and everything that its
    rows depend on: the content of the binaries and of the script, rustc, and the options. An option
    counts unless the script names it as `apart`, so that a new one which is forgotten there costs a
    measurement and does not spoil one. Subjects are apart, for they are the keys of the rows.

    A row is whatever `measure` answers, as JSON gives it back: lists for tuples, texts for the keys of
    tables. That holds for a new row as for a known one, so a script cannot tell them apart, and its
    table does not depend on whether it was interrupted.

    `Trouble` is no row: what kept it from being measured may be gone the next time.
    """

    # Never part of what rows depend on.
    APART = {"fresh", "subjects", "default_subjects"}

    def __init__(self, options, keys, binaries=(), apart=(), inputs=(), tools=()):
        """`keys`: of all rows that this run wants. `inputs`: files and directories of this repository
        that are measured. `tools`: versions of programs besides rustc that measure."""
        name = Path(sys.argv[0]).name
        matters = {
            "script": name,
            "shape": SHAPE,
            "source": digest(Path(sys.argv[0])),
            "binaries": [digest(binary) for binary in binaries],
            "inputs": [digest(path) for path in inputs],
            "tools": [run(["rustc", "--version"]).stdout.strip(), *tools],
            "options": {
                option: value
                for option, value in vars(options).items()
                if option not in self.APART and option not in apart
            },
        }
        # People who wonder what a file is about find it in the first line.
        self.head = as_line(matters)
        short = hashlib.sha256(self.head).hexdigest()[:16]
        self.path = WORK / "rows" / f"{name}-{short}.jsonl"
        self.n_asked = Counter()
        self.known = self.read()
        wanted = self.numbered(keys)
        if options.fresh and not self.known.keys().isdisjoint(wanted):
            # Rows of other subjects stay: nobody asked for them.
            self.known = {key: row for key, row in self.known.items() if key not in wanted}
            self.write()
        n_known = sum(key in self.known for key in wanted)
        if n_known:
            say(f"resuming: {n_known} of {len(wanted)} rows are known; --fresh measures again")

    @staticmethod
    def numbered(keys):
        """Who names a subject twice wants to see it measured twice."""
        counts, names = Counter(), []
        for key in map(str, keys):
            counts[key] += 1
            names.append(key if counts[key] == 1 else f"{key} ({counts[key]})")
        return names

    def row(self, key, measure, *arguments):
        """The row of a key: the known one, or what `measure` answers, which is kept at once."""
        key = str(key)
        self.n_asked[key] += 1
        key = self.numbered([key] * self.n_asked[key])[-1]
        if key not in self.known:
            row = measure(*arguments)
            line = as_line({"key": key, "row": row})
            self.keep(line)
            self.known[key] = line
        return json.loads(self.known[key])["row"]

    def keep(self, line):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "ab") as file:
            # One write, so that a kill leaves all of it or nothing; a full disk may leave a part.
            file.write(line if file.tell() else self.head + line)
            file.flush()
            os.fsync(file.fileno())

    def read(self):
        """The lines that are there, by key. What was not wholly written is taken out of the file."""
        try:
            head, *lines = self.path.read_bytes().splitlines(keepends=True)
        except (FileNotFoundError, ValueError):
            return {}
        known, n_bad = {}, int(head != self.head)
        for line in lines:
            try:
                if not line.endswith(b"\n"):
                    raise ValueError("torn")
                known[json.loads(line)["key"]] = line
            except (ValueError, KeyError, TypeError):
                n_bad += 1
        if n_bad:
            say(f"{self.path.name}: {n_bad} line(s) not wholly written, and dropped")
            self.write(known)
        return known

    def write(self, known=None):
        """Writes the file anew."""
        known = self.known if known is None else known
        write_whole(self.path, self.head + b"".join(known.values()))


def as_line(value):
    """JSON on one line; what JSON doesn't know, such as a subject or a path, as its text."""
    return json.dumps(value, default=str).encode() + b"\n"


def write_whole(path, content):
    """Writes a file so that a kill leaves the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    with open(beside, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def digest(path):
    """Of a file's content; of a directory, that of all its files, without what cargo puts there."""
    path = Path(path)
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    if not path.is_dir():
        raise Trouble(f"{path} is not there")
    found = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        inside = file.relative_to(path)
        if file.is_file() and "target" not in inside.parts and file.name != "Cargo.lock":
            found.update(f"{inside} {digest(file)}\n".encode())
    return found.hexdigest()


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
    # Subjects are measured with the compiler that is in use here, whichever their authors use.
    for name in ("rust-toolchain", "rust-toolchain.toml"):
        (Path(destination) / name).unlink(missing_ok=True)


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
    """Its version."""
    done = run(["cargo", "tarpaulin", "--version"], accept=None)
    if done.returncode != 0:
        raise Trouble(
            "cargo-tarpaulin is missing; install it with `cargo install cargo-tarpaulin --locked`"
        )
    return done.stdout.strip()


def written_tests(package):
    """The test files that testsmith wrote into a package, those of modules included."""
    patterns = ("tests/testsmith_*.rs", "tests/testsmith_*/*.rs")
    return sorted(path for pattern in patterns for path in package.glob(pattern))


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
