"""Servers with many jobs in their tables. The rows are copies of rows that a server wrote itself."""

import sqlite3
from contextlib import closing
from functools import cached_property

from parts.samples import say
from parts.server import Server

# Longer than any measurement, and an end for whatever is left behind.
HOLD_THE_GPU = ["sleep", "3600"]
WAITING = 9


def multiply(database, job, times):
    """Copies a job and its events so many times. No server may have the file open."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        columns = columns_of(connection, "job", without="id")
        # A client's key belongs to one job.
        values = [f"NULL AS {each}" if each.startswith("submit_") and each != "submitted_at" else f"job.{each}"
                  for each in columns]
        connection.execute(f"""
            WITH RECURSIVE copy (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy WHERE number < ?)
            INSERT INTO job ({', '.join(columns)}) SELECT {', '.join(values)} FROM copy, job WHERE job.id = ?""",
                           (times, job))
        newest = connection.execute("SELECT max(id) FROM job").fetchone()[0]
        columns = columns_of(connection, "job_event", without="sequence")
        values = ["job.id" if each == "job" else f"job_event.{each}" for each in columns]
        connection.execute(f"""
            INSERT INTO job_event ({', '.join(columns)}) SELECT {', '.join(values)} FROM job, job_event
            WHERE job.id > ? AND job_event.job = ? ORDER BY job.id, job_event.sequence""", (newest - times, job))
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def columns_of(connection, table, without):
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != without]


class Tables:
    """The servers, each made when it is first asked for. In each a job holds the only GPU, so that the rest waits."""

    def __init__(self, bench):
        self.bench = bench

    def server(self, name):
        return self.bench.server(name, gpus=1)

    @staticmethod
    def occupy(server):
        server.submit(HOLD_THE_GPU)
        return [server.submit(["true"]) for _ in range(WAITING)]

    @cached_property
    def small(self):
        """Ten jobs: one runs, nine wait."""
        server = self.server("small").start()
        self.occupy(server)
        return server

    @cached_property
    def ended(self):
        """The same ten, after very many that have ended."""
        say(f"making a table of {self.bench.many:,} jobs that have ended")
        server = self.server("ended").start()
        job = server.submit(["true"])
        server.wait(job)
        self.bench.engine.await_gone(server.directory)
        server.stop()
        multiply(server.database, job, self.bench.many - WAITING - 2)
        server.start()
        self.occupy(server)
        return server

    def queued(self, name, jobs):
        say(f"making a queue of {jobs:,} jobs")
        server = self.server(name).start()
        last = self.occupy(server)[-1]
        server.stop()
        multiply(server.database, last, jobs - WAITING - 1)
        return server.start()

    @cached_property
    def queued_some(self):
        return self.queued("queued-some", self.bench.some)

    @cached_property
    def queued_many(self):
        return self.queued("queued-many", self.bench.many)

    def made(self):
        return [value for value in vars(self).values() if isinstance(value, Server)]
