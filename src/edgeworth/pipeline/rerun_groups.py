"""Group the logs of one system into runs, each of which may have a log per task."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from edgeworth.sources.runs.run import STAMP, Run


def group_reruns(logs: Sequence[Run]) -> dict[str, list[Run]]:
    """Group logs into runs: by the dates in their names, by file, by folder, or else by their order.

    No group has two logs of one task. Of these groupings, the first counts with which all runs share the
    most tasks.
    """
    groupings = []
    for labels in _possible_labels(logs):
        groups: dict[str, list[Run]] = {}
        for label, log in zip(labels, logs, strict=True):
            groups.setdefault(label, []).append(log)
        if all(len({log.task for log in group}) == len(group) for group in groups.values()):
            groupings.append(groups)
    return max(groupings, key=_count_shared_tasks)


def _count_shared_tasks(groups: dict[str, list[Run]]) -> int:
    return len(set.intersection(*({log.task for log in group} for group in groups.values())))


def _possible_labels(logs: Sequence[Run]) -> Iterator[list[str]]:
    """Yield the label of each log by every way to group logs."""
    paths = [Path(log.path).absolute() for log in logs]
    names = [path.name for path in paths]
    stamps = [STAMP.search(name) for name in names]
    if all(stamps):
        yield [stamp[0] for stamp in stamps if stamp is not None]
    files = set(paths)
    if len({path.name for path in files}) == len(files):
        yield names
    parts = _parts_below_common_folder(paths)
    for depth in range(1, max(map(len, parts)) + 1):
        yield ["/".join(folders[:depth]) for folders in parts]
    seen: Counter[str] = Counter()
    order = []
    for log in logs:
        seen[log.task] += 1
        order.append(f"run {seen[log.task]}")
    yield order


def _parts_below_common_folder(paths: Sequence[Path]) -> list[tuple[str, ...]]:
    """Return the names of folders and file below the folder that holds all logs."""
    common = os.path.commonpath([path.parent for path in paths])
    return [path.relative_to(common).parts for path in paths]
