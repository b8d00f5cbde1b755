"""Spark on this machine: in this process's JVM, or a master and two workers of their own."""

import contextlib
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

HOME = Path(pyspark.__file__).parent
# For JVMs that live a minute: little is won by compiling a second time, or by collecting garbage on all cores.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@contextlib.contextmanager
def session(master, **settings):
    """A session that is stopped afterwards."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("spuna")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.extraJavaOptions": SHORT_LIVED,
        "spark.executor.extraJavaOptions": SHORT_LIVED,
        **settings,
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    try:
        yield started
    finally:
        started.stop()


@contextlib.contextmanager
def _daemon(name, expected, *arguments):
    """A process of Spark, and what it says when it is ready."""
    environment = {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_HOME": str(HOME),
        "SPARK_DAEMON_JAVA_OPTS": SHORT_LIVED,
    }
    process = subprocess.Popen(
        [HOME / "bin" / "spark-class", name, *map(str, arguments)],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )
    try:
        said = []
        for line in process.stderr:
            said.append(line)
            if found := re.search(expected, line):
                break
        else:
            raise RuntimeError(f"{name} did not start:\n{''.join(said)}")
        # What it says later must not fill the pipe.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield found
    finally:
        process.terminate()
        process.wait(timeout=30)


@contextlib.contextmanager
def standalone_master(folder, num_workers=2):
    """The address of a master on the loopback device whose workers have a core each."""
    with contextlib.ExitStack() as daemons:
        master = daemons.enter_context(
            _daemon(
                "org.apache.spark.deploy.master.Master", r"Starting Spark master at (spark://\S+)",
                "--host", "127.0.0.1", "--port", 0, "--webui-port", 0,
            )
        )[1]
        for worker in range(num_workers):
            daemons.enter_context(
                _daemon(
                    "org.apache.spark.deploy.worker.Worker", "Successfully registered with master",
                    "--host", "127.0.0.1", "--webui-port", 0, "--cores", 1, "--memory", "1g",
                    "--work-dir", folder / f"worker-{worker}", master,
                )
            )
        yield master
