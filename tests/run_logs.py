"""Run logs in the layouts of their tools, written by the tests themselves."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

ZSTD = 93


def zstd(content: bytes, frames: int = 1) -> bytes:
    """Pack bytes with zstd, in several frames as a log that grew has them."""
    size = -(-len(content) // frames)
    pieces = [content[start : start + size] for start in range(0, len(content), size)]
    return b"".join(pa.compress(piece, codec="zstd", asbytes=True) for piece in pieces)


def zip_archive(files: Mapping[str, bytes], frames: int = 1, claim: int | None = None) -> bytes:
    """Write a zip archive with method 93, which Python's own module cannot write before 3.14."""
    body, directory = b"", b""
    for name, content in files.items():
        packed, size = zstd(content, frames), len(content) if claim is None else claim
        head = struct.pack(
            "<HHHHHIIIHH", 63, 0, ZSTD, 0, 0, zlib.crc32(content), len(packed), size, len(name), 0
        )
        number = len(body)
        body += b"PK\x03\x04" + head + name.encode() + packed
        directory += b"PK\x01\x02\x3f\x00" + head + struct.pack("<HHHII", 0, 0, 0, 0, number) + name.encode()
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


def inspect_log(
    samples: Sequence[Mapping[str, Any]], *, model: str = "lab/small", task: str = "quiz", **header: Any
) -> dict[str, Any]:
    """Make a log as Inspect's ``.json`` holds it."""
    about = {
        "eval_id": "e",
        "run_id": "r",
        "task": task,
        "model": model,
        "config": {"epochs_reducer": ["mean"]},
    }
    return {
        "version": 2,
        "status": "success",
        "eval": about,
        "results": None,
        **header,
        "samples": list(samples),
    }


def inspect_sample(number: int, value: Any, *, epoch: int = 1, **more: Any) -> dict[str, Any]:
    """Make one sample of an Inspect log; multiple choice of four where the answer is given."""
    score = {"value": value, "answer": more.pop("answer", None)}
    sample = {"id": f"q{number}", "epoch": epoch, "target": "A", "scores": {"choice": score}}
    return {**sample, "metadata": {}, **more}


def write_eval(path: Path, log: Mapping[str, Any], frames: int = 1, *, summaries: bool = True) -> Path:
    """Write an ``.eval`` log."""
    header = {name: value for name, value in log.items() if name != "samples"}
    files = {"_journal/start.json": b"{}"}
    files |= {f"samples/{x['id']}_epoch_{x['epoch']}.json": json.dumps(x).encode() for x in log["samples"]}
    if summaries:
        files["summaries.json"] = json.dumps(log["samples"]).encode()
    path.write_bytes(zip_archive(files | {"header.json": json.dumps(header).encode()}, frames))
    return path


def write_lm_eval(
    folder: Path, task: str, lines: Sequence[Mapping[str, Any]], date: str = "2026-01-02"
) -> Path:
    """Write the samples of a task of lm-evaluation-harness."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{date}T10-00-00.000000.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def lm_eval_choice(number: int, likelihoods: Sequence[float], truth: int, **more: Any) -> dict[str, Any]:
    """Make the line of a document of multiple choice."""
    best = max(range(len(likelihoods)), key=likelihoods.__getitem__)
    answers = [[str(x), "False"] for x in likelihoods]
    return {
        "doc_id": number,
        "doc": {"question": f"question {number}?"},
        "target": str(truth),
        "resps": [[answer] for answer in answers],
        "filtered_resps": answers,
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": hashlib.sha256(str(number).encode()).hexdigest(),
        "acc": float(best == truth),
        **more,
    }


def promptfoo_row(test: int, system: str, passed: bool, **more: Any) -> dict[str, Any]:
    """Make one result of promptfoo."""
    return {
        "promptIdx": 0,
        "testIdx": test,
        "provider": {"id": system, "label": ""},
        "prompt": {"raw": "…", "label": "Answer: {{q}}"},
        "vars": {"q": f"question {test}"},
        "failureReason": 0 if passed else 1,
        "success": passed,
        "score": float(passed),
        "namedScores": {},
        **more,
    }


def promptfoo_results(rows: Sequence[Mapping[str, Any]], version: int = 3) -> dict[str, Any]:
    """Make a whole file of promptfoo's results."""
    return {"evalId": "eval-1", "results": {"version": version, "results": list(rows)}, "config": {}}
