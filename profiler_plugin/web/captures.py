"""Captures as jobs of the server: they go on when the page that asked has been closed, and the next one finds them."""

from __future__ import annotations

import atexit
import logging
import os
import secrets
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from profiler_plugin.capture import client, output, tpu
from profiler_plugin.capture.host import HostOutcome
from profiler_plugin.errors import Busy, CaptureError, NotFound, ProfilerError, StorageError
from profiler_plugin.files import is_remote
from profiler_plugin.store import Store, run_name
from profiler_plugin.web.capture_request import Capture

log = logging.getLogger(__name__)

KEPT = 20  # jobs that are remembered after their end
AT_ONCE = 8
_FAREWELL_S = 2.0  # for jobs to clean up when the server ends


class Job:
    """One capture, going on or ended."""

    def __init__(self, asked: Capture) -> None:
        self.id = secrets.token_hex(8)
        self.asked = asked
        self.cancel = threading.Event()
        self.ended = threading.Event()
        self.run = ""  # name of the session, once it has a profile
        self.error: ProfilerError | None = None  # of the whole; those of hosts are in their outcomes
        self._began = time.monotonic()
        self._hosts: dict[str, tuple[HostOutcome, float]] = {}  # and since when it is so
        self._lock = threading.Lock()
        if not asked.tpu or asked.workers:
            self.expect(asked.hosts)

    @property
    def hosts(self) -> list[str]:
        """Addresses, as far as they are known."""
        with self._lock:
            return list(self._hosts)

    def expect(self, hosts: Iterable[str]) -> None:
        for host in hosts:
            self.tell(HostOutcome(host))

    def tell(self, outcome: HostOutcome) -> None:
        with self._lock:
            self._hosts[outcome.address] = outcome, time.monotonic()

    @property
    def state(self) -> str:
        """running, cancelling, written (by some host), cancelled or failed."""
        if not self.ended.is_set():
            return "cancelling" if self.cancel.is_set() else "running"
        if self.run:
            return "written"
        return "cancelled" if self.cancel.is_set() else "failed"

    def to_json(self) -> dict[str, Any]:
        now = time.monotonic()
        with self._lock:
            hosts = [{**asdict(outcome), "seconds": now - since} for outcome, since in self._hosts.values()]
        error = self.error
        return {
            "id": self.id,
            "state": self.state,
            "run": self.run,
            "seconds": now - self._began,
            "target": self.asked.tpu or self.asked.workers or self.asked.addresses,
            "duration_ms": self.asked.duration_ms,
            "attempts": self.asked.retries + 1,
            "hosts": hosts,
            "error": {"cause": error.cause, "remedy": error.remedy} if error else None,
        }


class Captures:
    """The jobs that write into the first log directory of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._farewell = False

    @property
    def logdir(self) -> str:
        """Where sessions are written. Raises StorageError where the server shows no directory."""
        if not self._store.roots:
            raise StorageError("This server has no log directory to write a profile to.", "Start it with one.")
        root = self._store.roots[0][1]
        if not is_remote(root) and os.path.isfile(root):
            raise StorageError(f"This server shows one file, {root}.", "Start it with a log directory instead.")
        return output.logdir_of(root)

    def run_of(self, folder: str) -> str:
        """The name under which this server shows the session in `folder`."""
        group, root = self._store.roots[0]
        return run_name(group, root, folder)

    def start(self, asked: Capture) -> Job:
        """Begin, and return at once. Raises Busy where one of the hosts is being recorded, and StorageError."""
        output.check_writable(self.logdir)
        job = Job(asked)
        with self._lock:
            running = [other for other in self._jobs.values() if not other.ended.is_set()]
            if len(running) >= AT_ONCE:
                raise Busy(f"{len(running)} captures are going on.", "Wait until one of them has ended, or cancel it.")
            self._check_free(job, job.hosts)
            self._jobs[job.id] = job
            if not self._farewell:
                self._farewell = True
                atexit.register(self._end)
        threading.Thread(target=self._run, args=(job,), name="capture job", daemon=True).start()
        return job

    def all(self) -> list[Job]:
        """Newest first."""
        with self._lock:
            return list(self._jobs.values())[::-1]

    def find(self, job_id: str) -> Job:
        """Raises NotFound."""
        with self._lock:
            if job_id not in self._jobs:
                raise NotFound(
                    f"There is no capture {job_id[:50]!r}.", "It may have been long ago: ask for `captures`."
                )
            return self._jobs[job_id]

    def _run(self, job: Job) -> None:
        asked = job.asked
        try:
            hosts = job.hosts or self._workers(job)
            outcome = client.capture(
                hosts,
                self.logdir,
                asked.duration_ms,
                worker_list=hosts if asked.tpu or asked.workers else "",
                num_tracing_attempts=asked.retries + 1,
                options=asked.options,
                session=asked.session,
                access=asked.access,
                progress=job.tell,
                cancel=job.cancel,
            )
            if len(outcome.failed) < len(outcome.hosts):
                job.run = self.run_of(outcome.folder)
        except ProfilerError as error:
            job.error = error
        except Exception as error:
            log.exception("A capture failed")
            job.error = CaptureError(f"The server failed: {type(error).__name__}: {error}.", "See its log.")
        with self._lock:
            job.ended.set()
            ended = [other.id for other in self._jobs.values() if other.ended.is_set()]
            for old in ended[:-KEPT]:
                del self._jobs[old]

    def _workers(self, job: Job) -> list[str]:
        found = list(tpu.resolve(job.asked.tpu, job.asked.tpu_zone, job.asked.gcp_project).workers)
        with self._lock:
            self._check_free(job, found)
            job.expect(found)
        return found

    def _check_free(self, job: Job, hosts: Iterable[str]) -> None:
        others = [other for other in self._jobs.values() if other is not job and not other.ended.is_set()]
        taken = {host for other in others for host in other.hosts}
        for host in hosts:
            if host in taken:
                raise Busy(f"{host} is being recorded already.", "Wait until that capture has ended, or cancel it.")

    def _end(self) -> None:
        """Leave nothing half done behind when the server ends."""
        running = [job for job in self.all() if not job.ended.is_set()]
        for job in running:
            job.cancel.set()
        until = time.monotonic() + _FAREWELL_S
        for job in running:
            job.ended.wait(max(0.0, until - time.monotonic()))
