"""Federation: a coordinator and sites as processes of this machine, for trying out."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
from typing import Any, Dict, List, Mapping, Optional

from . import _firm
from ._firm import Error
from .arrays import PathLike, option_pairs, usage_error
from .run import DirectorySource, Run

_STOPPED_EARLY = 5
_START_SECONDS = 60


class Federation:
    """A federation on this machine: certificates, a coordinator, and one process for each site.

    Each process reads only the data of its own site. They talk over mutual TLS on the loopback
    interface. For real federations see docs/federation-operations.md.

    Parameters
    ----------
    study : path
        Study file, with the data of all sites.
    out : path, optional
        Gets a run directory and a log for each site; default: a temporary directory, which is
        removed at the end of the block.
    pki : path, optional
        Directory for the certificates; default: below `out`. Existing ones are used again.
    options : mapping, optional
        Options of the run, as in `firm.recon`.
    truth : path, optional
        File with true images.
    program : path, optional
        The program firm; default: $FIRM_PROGRAM, else the one on the PATH.

    Attributes
    ----------
    sites : list of str
    port : int
        Where the coordinator listens.

    Examples
    --------
    ::

        with firm.Federation("study.toml") as f:
            runs = f.wait()
            runs["xrt"].xrt
    """

    def __init__(self, study: PathLike, *, out: Optional[PathLike] = None,
                 pki: Optional[PathLike] = None, options: Optional[Mapping[str, Any]] = None,
                 truth: Optional[PathLike] = None, program: Optional[PathLike] = None) -> None:
        self.study = os.fspath(study)
        self.sites: List[str] = _firm.read_outline(self.study).sites
        self.port = 0
        self._program = _find_program(program)
        self._settings = [text for key, value in option_pairs(options)
                          for text in ("--set", f"{key}={value}")]
        self._truth = ["--truth", os.fspath(truth)] if truth is not None else []
        self._scratch = tempfile.TemporaryDirectory() if out is None else None
        self.out = pathlib.Path(self._scratch.name if self._scratch else os.fspath(out or ""))
        self._pki = pathlib.Path(pki) if pki is not None else self.out / "pki"
        self._processes: Dict[str, "subprocess.Popen[bytes]"] = {}

    def __enter__(self) -> "Federation":
        self.out.mkdir(parents=True, exist_ok=True)
        try:
            self._make_certificates()
            self._start("coordinator", "coordinator", self.study, "--listen", "127.0.0.1:0")
            self.port = self._wait_for_port()
            for site in self.sites:
                self._start(site, "site", self.study, "--name", site, "--server",
                            f"127.0.0.1:{self.port}", *self._truth, "--set", "threads=1")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()
        if self._scratch is not None:
            self._scratch.cleanup()

    def wait(self, timeout: Optional[float] = None) -> Dict[str, Run]:
        """Wait until all processes have ended; return the run of each site.

        Parameters
        ----------
        timeout : float, optional
            Seconds; default: no limit.

        Returns
        -------
        dict
            A `Run` of each site, with its own image. All of it is in memory, so that it outlives a
            temporary directory.

        Raises
        ------
        firm.Error
            If a process fails, with the end of its log.
        subprocess.TimeoutExpired
        """
        end = None if timeout is None else time.monotonic() + timeout
        for name, process in self._processes.items():
            process.wait(None if end is None else max(0.0, end - time.monotonic()))
            self._check(name)
        runs = {}
        for site in self.sites:
            source = DirectorySource(self.out / site)
            source.preload()
            runs[site] = Run(source)
        return runs

    def log(self, name: str) -> str:
        """What the coordinator (``"coordinator"``) or a site has printed so far."""
        path = self.out / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def stop(self) -> None:
        """End the processes that still run; their runs can be resumed."""
        for process in self._processes.values():
            if process.poll() is None:
                process.terminate()
        for process in self._processes.values():
            process.wait()

    # --- processes

    def _start(self, name: str, *arguments: str) -> None:
        command = [self._program, *arguments, "--pki", str(self._pki / name), "--out",
                   str(self.out / name), *self._settings]
        with open(self.out / f"{name}.log", "wb") as log:
            self._processes[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def _check(self, name: str) -> None:
        code = self._processes[name].poll()
        if code in (None, 0, _STOPPED_EARLY):
            return
        error = Error(f"{name}: expected a process that ends well, found exit code {code}:\n"
                      f"{self.log(name)[-1000:]}")
        error.kind = "network"
        error.exit_code = 4
        raise error

    def _wait_for_port(self) -> int:
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            found = re.search(r"listening on port (\d+)", self.log("coordinator"))
            if found:
                return int(found[1])
            self._check("coordinator")
            time.sleep(0.02)
        raise usage_error("coordinator", "", f"a port within {_START_SECONDS} s",
                          self.log("coordinator")[-1000:])

    # --- certificates, as docs/federation.md makes them

    def _firm(self, *arguments: str) -> None:
        done = subprocess.run([self._program, *arguments], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise usage_error("firm " + " ".join(arguments), "", "success", done.stdout)

    def _make_certificates(self) -> None:
        authority = self._pki / "coordinator"
        if not (authority / "ca.crt").exists():
            self._firm("pki", "init", "--dir", str(authority), "--name", "try-out")
        for site in self.sites:
            folder = self._pki / site
            if (folder / f"{site}.crt").exists():
                continue
            self._firm("pki", "request", "--dir", str(folder), "--name", site)
            self._firm("pki", "sign", "--dir", str(authority), str(folder / f"{site}.csr"))
            for file in (f"{site}.crt", "ca.crt"):
                shutil.copy(authority / file, folder / file)


def _find_program(given: Optional[PathLike]) -> str:
    wanted = os.fspath(given) if given is not None else os.environ.get("FIRM_PROGRAM", "firm")
    found = shutil.which(wanted)
    if found is None:
        raise usage_error("Federation", "program", "the program firm on the PATH, or its path",
                          f"no '{wanted}'")
    return found
