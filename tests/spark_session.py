"""One Spark for all tests of a run: a Java runtime takes seconds to start."""

from __future__ import annotations

import os
from typing import Any

from edgeworth.sources.spark import start_spark

MASTER = "local[2]"

OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Many short jobs: compiling them well takes longer than running them."""


def spark_session() -> Any:
    """A session on two cores of this machine, made by ourselves as the command makes it.

    It stays for all tests of this process, and ends with it.
    """
    os.environ.setdefault("SPARK_SUBMIT_OPTS", OPTIONS)
    session = start_spark(MASTER)
    session.conf.set("spark.sql.shuffle.partitions", "2")
    return session
