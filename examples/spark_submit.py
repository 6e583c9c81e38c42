"""Predictions on a cluster: the tally is counted where the rows are, and only it comes to the driver.

    pip install 'edgeworth[spark,files]'
    spark-submit --master 'local[2]' examples/spark_submit.py predictions.parquet \\
        --truth y --prediction guess --json report.json

Any master will do (yarn, k8s://…, spark://…); the workers' Python must have edgeworth too. Without a path it
makes a million rows of its own, of a classifier that knows the answer in 60 of 100 cases and guesses in the
others. The same without a program is ``edgeworth evaluate predictions.parquet --engine spark --master …``.
"""

from __future__ import annotations

import argparse

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

import edgeworth as ew


def made_up(session: SparkSession, rows: int = 1_000_000) -> DataFrame:
    """Three classes of unequal size; ``guess`` is right in 60% of the rows and drawn blindly in the rest."""
    classes = f.array(f.lit("a"), f.lit("b"), f.lit("c"))
    drawn = session.range(0, rows, 1, 8).select(
        f.when(f.rand(1) < 0.5, "a").when(f.rand(2) < 0.6, "b").otherwise("c").alias("y"),
        f.element_at(classes, 1 + (f.rand(3) * 3).cast("int")).alias("blind"),
        (f.rand(4) < 0.6).alias("knows"),
    )
    return drawn.select("y", f.when(f.col("knows"), f.col("y")).otherwise(f.col("blind")).alias("guess"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Evaluate predictions on Spark.")
    parser.add_argument("path", nargs="?", help="Parquet, wherever Spark can read it; made up if left out")
    parser.add_argument("--truth", default="y")
    parser.add_argument("--prediction", default="guess")
    parser.add_argument("--json", help="where to write the report as JSON")
    asked = parser.parse_args()
    session = SparkSession.builder.appName("edgeworth").getOrCreate()
    rows = made_up(session) if asked.path is None else session.read.parquet(asked.path)
    report = ew.evaluate(rows, truth=asked.truth, prediction=asked.prediction)
    print(report.verdict)
    if asked.json:
        report.to_json(asked.json)
    session.stop()


if __name__ == "__main__":
    main()
