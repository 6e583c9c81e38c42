"""What `script/fuzz` gives to whole commands: their files with changed values, and their words.

A command may end with 0, 1 (a gate fails), 2 (refused) or 3 (undecided). Anything else is a finding, and so
is a sign on standard output or standard error that a terminal would obey.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

Reader = Callable[[Path, random.Random], None]
Entry = tuple[str, Callable[[], Any], Callable[[Any], bytes], Reader]
"""How a file ends, what it holds, how that is written, and what reads it."""

ALLOWED = (0, 1, 2, 3)
OUTPUTS = ("json", "html", "markdown")
REPORTS = ("labels", "grades", "queries", "wealth", "comparison", "gate")
GATE = {
    "require": ["accuracy >= 0.2", "accuracy no worse than baseline by 20pp"],
    "gate": [
        {"require": "accuracy > 0.1", "by": ["topic"], "slices": ["x"]},
        {"require": "accuracy >= 0.1", "task": "quiz"},
        {"require": "accuracy within 0.5 of baseline", "by": "topic", "weights": {"x": 0.5, "y": 1, "z": 1}},
    ],
}
REQUIREMENTS = ("accuracy >= 0.5", "accuracy no worse than baseline by 5pp", "accuracy > chance")
WORDS: Mapping[str, list[str]] = {
    "plan": ["--difference", "2pp", "--accuracy", "0.75", "--agreement", "0.85", "--power", "0.9"],
    "plan-cases": ["--cases", "400", "--accuracy", "0.7", "--cluster-size", "4", "--icc", "0.1"],
    "plan-roc": ["--roc-area", "0.8", "--targets", "0.1", "--width", "2pp", "--level", "0.9"],
    "plan-sd": ["--sd", "1", "--difference", "0.1", "--rerun-sd", "0.2", "--repeats", "2"],
    "chance": ["--items", "80", "--targets", "24", "--average-precision", "0.4667"],
    "chance-rank": ["--items", "8", "--targets", "3", "--nth-hit", "2", "--rank", "4"],
    "table": ["12 28; 18 42", "--rows", "predicted", "--labels", "a,b", "--bets", "--costs", "0 1; 2 0"],
    "ranking": ["11010000"],
    "kelly": ["--probabilities", ".6,.4", "--odds", "2,2.1", "--fraction", ".5"],
    "mixture": ["--real", ".7,.3", "--predicted", ".8,.2", "--informed", ".15", "--cases", "100"],
    "measures": ["recall", "precision"],
}
"""Words of commands that read no file; the command is what stands before the first hyphen."""
HOSTILE = (
    *("\x1b]52;c;eA==\x07", "\x9b2J", "a\u202eb", "a\nb", "=1+1", "<script>", "\\input{x}", "| x |", "`"),
    *("0.5", "1", "100"),
)
"""Texts that some output could obey, and numbers that a word can be."""


class CommandError(Exception):
    """A command that ended as none may end."""


def run(folder: Path, *words: str) -> None:
    """Run a command in a folder; a refusal is raised as an error of the package, a fault as one of ours."""
    from edgeworth.cli import main
    from edgeworth.errors import InputError
    from hostile_text import OBEYED

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    code: object = None
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(words))
        except SystemExit as left:
            code = left.code or 0
    texts = []
    for stream in (out, err):
        stream.flush()
        stream.seek(0)
        texts.append(stream.read())
    if code not in ALLOWED:
        raise CommandError(f"{words[0]} ends with {code}: {texts[1].strip()[-150:]}")
    for text in texts:
        if match := OBEYED.search(text):
            raise CommandError(f"{words[0]} prints {match.group()!r}: {text[: match.end()][-60:]!r}")
    if code == 2:
        raise InputError(texts[1])


def an_output(rng: random.Random, *more: str) -> list[str]:
    """Choose an output to standard output; half of the runs have none."""
    return [f"--{rng.choice((*OUTPUTS, *more))}", "-"] if rng.random() < 0.5 else []


# -- what is made -------------------------------------------------------------------------------------------


def as_csv(value: Any) -> bytes:
    """Write a list of objects as CSV; other values as their text."""
    rows = value if isinstance(value, list) else [value]
    text = io.StringIO()
    head = [str(name) for name in rows[0]] if rows and isinstance(rows[0], dict) else ["a"]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        cells = list(row.values()) if isinstance(row, dict) else [row]
        writer.writerow(["" if cell is None else cell for cell in cells])
    return text.getvalue().encode("utf-8", "surrogatepass")


def toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{json.dumps(str(name))} = {toml_value(x)}" for name, x in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, float) and value != value:
        return "nan"
    return json.dumps(value).replace("Infinity", "inf")


def as_toml(value: Any) -> bytes:
    """Write the file of a gate; what TOML cannot hold makes a file that is no TOML."""
    if not isinstance(value, dict):
        return toml_value(value).encode()
    lines = []
    for name, item in value.items():
        if name == "gate" and isinstance(item, list) and all(isinstance(table, dict) for table in item):
            for table in item:
                lines += ["[[gate]]", *(f"{json.dumps(str(k))} = {toml_value(x)}" for k, x in table.items())]
        else:
            lines.insert(0, f"{json.dumps(str(name))} = {toml_value(item)}")
    return "\n".join(lines).encode()


def report_value(kind: str) -> Any:
    """Make what the JSON of a report holds."""
    import edgeworth as ew

    truth, guesses = list("abab" * 10), list("aabb" * 10)
    made: dict[str, Callable[[], Any]] = {
        "labels": lambda: ew.evaluate(truth=truth, prediction=guesses, by={"k": list("xxyy" * 10)}),
        "grades": lambda: ew.evaluate(grade=[0.2, 0.5, 0.9, 1.0] * 10, id=list(range(40))),
        "queries": lambda: ew.evaluate(
            truth=[1, 0, 0, 1, 0] * 8, score=[n % 7 for n in range(40)], query=[n // 8 for n in range(40)]
        ),
        "wealth": lambda: ew.evaluate(truth=[1, 0, 1, 1] * 10, probabilities=[0.6] * 40, against=[0.5] * 40),
        "comparison": lambda: ew.compare(
            systems={"new": [1, 1, 0, 1] * 10, "old": [1, 0, 0, 1] * 10}, kind="correct"
        ),
        "gate": lambda: ew.check(
            truth=truth, prediction=guesses, require=["accuracy >= 0.3", "recall[a] > 0.1"]
        ),
    }
    return json.loads(made[kind]().to_json())


def bets() -> Any:
    results = ("won", "lost", "void", "half-won", "half-lost", "1", "0")
    return [
        {
            "date": f"2025-0{1 + n % 8}-1{n % 9}",
            "result": results[n % 7],
            "odds": 1.5 + n / 4,
            "stake": 10 + n,
        }
        for n in range(21)
    ]


def fixtures() -> Any:
    return [
        {
            "game": f"g{game}",
            "outcome": "HDA"[n],
            "probability": (0.5, 0.2, 0.3)[n],
            "odds": (2.2, 4.5, 3.9)[n],
        }
        for game in range(3)
        for n in range(3)
    ]


def reruns() -> Any:
    return [
        {"id": n, "one": n % 2, "two": (n + 1) % 3 % 2, "three": int(n > 9), "y": n % 2} for n in range(20)
    ]


def systems() -> Any:
    return [
        {"y": "ab"[n % 2], "old": "ab"[n % 3 % 2], "new": "ab"[n % 5 % 2], "k": "xy"[n % 4 // 2]}
        for n in range(24)
    ]


# -- what reads it ------------------------------------------------------------------------------------------


def beside(path: Path, name: str, content: Callable[[], bytes]) -> str:
    """Write a good file beside the changed one, once."""
    other = path.parent / name
    if not other.exists():
        other.write_bytes(content())
    return other.name


def read_diff(path: Path, rng: random.Random) -> None:
    kind = path.name.split("-")[1]
    other = beside(path, f"old-{kind}.json", lambda: json.dumps(report_value(kind)).encode())
    pair = [path.name, other]
    rng.shuffle(pair)
    run(path.parent, "diff", *pair, *an_output(rng))


def logs_beside(path: Path) -> list[str]:
    from run_logs import inspect_log, inspect_sample

    def content(shift: int) -> bytes:
        about = [{"topic": "xyz"[n % 3]} for n in range(12)]
        samples = [inspect_sample(n, "C" if (n + shift) % 3 else "I", metadata=about[n]) for n in range(12)]
        return json.dumps(inspect_log(samples, run_id=str(shift))).encode()

    return [beside(path, f"run{shift}.json", lambda shift=shift: content(shift)) for shift in range(2)]


def read_gate(path: Path, rng: random.Random) -> None:
    new, old = logs_beside(path)
    words = ["check", new, "--baseline", old, "--requirements", path.name]
    run(path.parent, *words, *gate_output(rng))


def gate_output(rng: random.Random) -> list[str]:
    return rng.choice(([], ["--junit", "-"], ["--markdown", "-"], ["--json", "-"]))


def read_gate_log(path: Path, rng: random.Random) -> None:
    """Check a changed log against a good one, or a log of two systems against one of them."""
    more = rng.choice(([], ["--by", "topic"], ["--must-pass", "q1,q2"], ["--anytime"], ["--errors", "wrong"]))
    required = ["--require", rng.choice(REQUIREMENTS), *more, *gate_output(rng)]
    if "promptfoo" in path.name:
        run(path.parent, "check", path.name, "--baseline", "small", *required)
        return
    pair = two_logs(path)
    rng.shuffle(pair)
    run(path.parent, "check", pair[0], "--baseline", pair[1], *required)


def read_noise_log(path: Path, rng: random.Random) -> None:
    more = rng.choice(([], ["--require", "accuracy >= 0.5"]))
    run(path.parent, "noise", *two_logs(path), *more, *an_output(rng))


def two_logs(path: Path) -> list[str]:
    """Name a changed log, and a good one; those of lm-eval have the task in their names."""
    if "lm-eval" not in path.name:
        return [path.name, logs_beside(path)[1]]
    good = path.parent / "good" / LM_EVAL_NAME
    if not good.exists():
        good.parent.mkdir()
        lines = [lm_eval_line(n) for n in range(10)]
        good.write_text("".join(json.dumps(line) + "\n" for line in lines))
    changed = path.parent / "changed" / LM_EVAL_NAME
    changed.parent.mkdir(exist_ok=True)
    for file in (good, changed):
        (file.parent / "results_2026-01-02T10-00-00.000000.json").write_text('{"model_name": "small"}')
    changed.write_bytes(path.read_bytes())
    return [f"changed/{LM_EVAL_NAME}", f"good/{LM_EVAL_NAME}"]


LM_EVAL_NAME = "samples_quiz_2026-01-02T10-00-00.000000.jsonl"


def lm_eval_line(number: int) -> dict[str, Any]:
    from run_logs import lm_eval_choice

    return lm_eval_choice(number, [-1.5, -2.0 + number % 3, -3.0], number % 3)


def gate_log(ending: str) -> Any:
    """Make a log for a gate: Inspect's with two epochs, or lines of lm-eval."""
    from run_logs import inspect_log, inspect_sample

    if ending == ".jsonl":
        return [lm_eval_line(n) for n in range(10)]
    about = [{"topic": "xyz"[n % 3]} for n in range(12)]
    samples = [
        inspect_sample(n, "CI"[(n + epoch) % 3 == 0], epoch=epoch, metadata=about[n])
        for n in range(12)
        for epoch in (1, 2)
    ]
    return inspect_log(samples)


def read_reruns(path: Path, rng: random.Random) -> None:
    columns = rng.choice((["--correct"], ["--grade"], ["--prediction"], ["--score"], ["--probability"]))
    words = [word for name in ("one", "two", "three") for word in (*columns, name)]
    truth = [] if columns[0] in ("--correct", "--grade") else ["--truth", "y"]
    run(path.parent, "noise", path.name, *words, *truth, *an_output(rng))


def read_bets(path: Path, rng: random.Random) -> None:
    more = rng.choice(([], ["--period", "month"], ["--bankroll", "1000"], ["--commission", ".02"]))
    run(path.parent, "ledger", path.name, *more, *an_output(rng))


def read_fixtures(path: Path, rng: random.Random) -> None:
    more = rng.choice(([], ["--fraction", "0.25"], ["--commission", "0.05"]))
    run(path.parent, "stakes", path.name, "--bankroll", "1000", *more, *an_output(rng))


def read_systems(path: Path, rng: random.Random) -> None:
    words = ["--truth", "y", "--prediction", "old", "--prediction", "new"]
    by = ["--by", "k"] if rng.random() < 0.3 else []
    run(path.parent, "compare", path.name, *words, *by, *an_output(rng, "csv", "latex"))


def read_search_tables(path: Path, rng: random.Random) -> None:
    lists = {f"q{q}": {f"d{n}": (n * (q + 2)) % 5 for n in range(6)} for q in range(5)}
    qrels = beside(path, "judged.json", lambda: json.dumps(lists).encode())
    other = beside(
        path,
        "good.json",
        lambda: json.dumps({q: {d: x / 2 for d, x in docs.items()} for q, docs in lists.items()}).encode(),
    )
    files = [qrels, path.name, other] if "run" in path.name else [path.name, other]
    run(path.parent, "trec", *files, *an_output(rng, "csv", "latex", "per-query"))


def words_of(path: Path) -> list[str]:
    """Read the words of a command line; what cannot be one is left out."""
    from edgeworth.errors import InputError

    try:
        words = json.loads(path.read_bytes())
    except ValueError:
        raise InputError("no words") from None
    texts = (
        [word if isinstance(word, str) else json.dumps(word) for word in words]
        if isinstance(words, list)
        else []
    )
    return [text.replace("\0", "") for text in texts]


def read_words(path: Path, rng: random.Random) -> None:
    command = path.name.split("-")[1]
    run(path.parent, command, *words_of(path), *(an_output(rng) if command != "measures" else []))


def read_requirement(path: Path, rng: random.Random) -> None:
    """Give a requirement to a gate, as one text."""
    new, old = logs_beside(path)
    required = f"--require={' '.join(words_of(path))}"
    run(path.parent, "check", new, "--baseline", old, required, *gate_output(rng))


def as_document(value: Any) -> bytes:
    return json.dumps(value).encode()


def commands(logs: Mapping[str, Entry], search: Mapping[str, Entry]) -> Iterator[tuple[str, Entry]]:
    """Yield every command: how the file ends, what it holds, how that is written, and what runs it."""
    for kind in REPORTS:
        yield f"diff-{kind}", (".json", lambda kind=kind: report_value(kind), as_document, read_diff)
    yield "gate", (".toml", lambda: GATE, as_toml, read_gate)
    yield "requirement", (".json", lambda: list(REQUIREMENTS[1].split()), as_document, read_requirement)
    for name, (ending, make, write, _) in logs.items():
        is_promptfoo = name.startswith("promptfoo")
        make_log = make if is_promptfoo else lambda ending=ending: gate_log(ending)
        yield f"check-{name}", (ending, make_log, write, read_gate_log)
        if not is_promptfoo:
            yield f"noise-{name}", (ending, make_log, write, read_noise_log)
    yield "noise-table", (".csv", reruns, as_csv, read_reruns)
    yield "ledger", (".csv", bets, as_csv, read_bets)
    yield "stakes", (".csv", fixtures, as_csv, read_fixtures)
    yield "compare", (".csv", systems, as_csv, read_systems)
    for name, (ending, make, write, _) in search.items():
        yield f"tables-{name}", (ending, make, write, read_search_tables)
    for name, words in WORDS.items():
        yield f"words-{name}", (".json", lambda words=words: list(words), as_document, read_words)
