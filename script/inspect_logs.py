"""Write logs with Inspect, and check what Edgeworth reads of them; called by script/check-inspect."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import numpy as np

TOLERANCE = 1e-9


def write(folder: str) -> None:
    import tiktoken

    class Words:
        def encode(self, text: str, **_: object) -> list[str]:
            return text.split()

    # Inspect counts tokens with a table that it would fetch.
    tiktoken.get_encoding = tiktoken.encoding_for_model = lambda *_, **__: Words()
    from inspect_ai import Epochs, Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import accuracy, choice, stderr
    from inspect_ai.solver import multiple_choice

    rng = random.Random(7)
    samples = [
        Sample(
            id=f"q{n}",
            input=f"Made-up question {n}?",
            choices=list("wxyz"),
            target=rng.choice("ABCD"),
            metadata={"passage": f"p{int(n**0.7)}"},
        )
        for n in range(40)
    ]
    for name in ("small", "large"):
        answer = random.Random(name)
        task = Task(
            dataset=MemoryDataset(samples),
            solver=multiple_choice(),
            scorer=choice(),
            metrics=[accuracy(), stderr(cluster="passage")],
            epochs=Epochs(2, "mean"),
            name="quiz",
        )
        for form in ("eval", "json"):
            said = lambda *_, r=answer, m=name: ModelOutput.from_content(m, f"ANSWER: {r.choice('ABCD')}")  # noqa: E731  # the defaults bind this loop's values
            model = get_model(f"mockllm/{name}", custom_outputs=said)
            run(task, model=model, log_dir=folder, log_format=form, display="none")


def check(folder: str) -> None:
    import edgeworth as ew
    from edgeworth.sources.runs.archives import read_archive
    from edgeworth.sources.runs.reading import read_runs

    files = sorted(each for each in Path(folder).rglob("*") if each.suffix in (".eval", ".json"))
    assert files, f"{folder} holds no logs"
    for path in files:
        is_archive = path.suffix == ".eval"
        content = read_archive(path, lambda _: ["header.json"])[0][1] if is_archive else path.read_bytes()
        header = json.loads(content)
        [[run]] = read_runs(path)
        for score in header["results"]["scores"]:
            metrics = {name: metric["value"] for name, metric in score["metrics"].items()}
            tally = ew.Grades.from_grades(run.grades[score["name"]], ids=run.ids, clusters=run.clusters)
            rests = tally.means - tally.means.mean()
            units = (
                np.arange(len(rests))
                if run.clusters is None
                else np.unique(tally.clusters, return_inverse=True)[1]
            )
            sums = np.bincount(units, weights=rests)
            error = np.sqrt((sums**2).sum() * len(sums) / (len(sums) - 1)) / len(rests)
            apart = abs(tally.means.mean() - metrics["accuracy"]), abs(error - metrics["stderr"])
            assert max(apart) < TOLERANCE, (path, apart)
    sys.stdout.write(f"{len(files)} logs: accuracy and standard error are those of the headers\n")


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](sys.argv[2])
