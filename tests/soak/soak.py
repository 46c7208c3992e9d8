#!/usr/bin/env python3
"""Runs federations with faults for as long as told: ./dev soak --help

Every federation has a seed, which decides its study, its method and the order of its faults. Its
images must be, byte for byte, those of `firm recon --separate`.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback

from faults import strike_all
from federation import Federation
from plan import MOST_SITES, make_plan
from proxy import Network
from study import Enrolment
from tally import Tally


def parse(words):
    parser = argparse.ArgumentParser(
        prog="./dev soak",
        description="Run federations with kills, stops, cut connections, full disks and hostile "
        "clients. Compare their images with those of firm recon --separate, byte for byte. "
        "Exit code 1 if any federation fails.",
        epilog="Without HOURS, --kills and --federations it runs for 0.2 hours. Ctrl-C ends it with "
        "the table so far and exit code 5. Logs of a failure stay in --out.",
    )
    parser.add_argument("hours", nargs="?", type=float, metavar="HOURS", help="how long")
    parser.add_argument("--kills", type=int, help="end after so many processes were killed")
    parser.add_argument("--federations", type=int, help="end after so many federations")
    parser.add_argument("--seed", type=int, help="of the first federation; default: by chance")
    parser.add_argument("--most-sites", type=int, default=MOST_SITES, help="3 to %(default)s")
    parser.add_argument("--out", default="out/soak", help="folder of failures; %(default)s")
    parser.add_argument("--firm", default="build/firm", help="the program; %(default)s")
    options = parser.parse_args(words)
    if not 3 <= options.most_sites <= MOST_SITES:
        parser.error(f"--most-sites: expected 3 to {MOST_SITES}, found {options.most_sites}")
    for name in ("hours", "kills", "federations"):
        most = getattr(options, name)
        if most is not None and not most > 0:  # nan neither
            parser.error(f"{name}: expected a number above 0, found {most}")
    if options.hours is None and options.kills is None and options.federations is None:
        options.hours = 0.2
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000)
    options.firm = os.path.abspath(options.firm)
    return options


class Stopped(BaseException):
    """Ctrl-C or SIGTERM. Not an error of a federation."""


def stop(*_):
    raise Stopped


class Soak:
    def __init__(self, options, folder, network):
        self._options = options
        self._folder = folder
        self._network = network
        self._enrolment = None
        self._begin = time.monotonic()
        self.tally = Tally()

    def run(self):
        """Returns False if it was stopped; the federation at that moment does not count."""
        seed = self._options.seed
        try:
            self._enrolment = Enrolment(
                self._options.firm, os.path.join(self._folder, "pki"), self._options.most_sites
            )
            while not self._is_over():
                self._run_one(make_plan(seed, self._options.most_sites))
                seed += 1
                self.tally.seconds = time.monotonic() - self._begin
        except Stopped:
            return False
        return True

    def _is_over(self):
        o = self._options
        hours = (time.monotonic() - self._begin) / 3600
        return (
            (o.hours is not None and hours >= o.hours)
            or (o.kills is not None and self.tally.kills >= o.kills)
            or (o.federations is not None and self.tally.federations >= o.federations)
        )

    def _kills_left(self):
        return None if self._options.kills is None else self._options.kills - self.tally.kills

    def _run_one(self, plan):
        begin = time.monotonic()
        folder = os.path.join(self._folder, f"federation-{plan.seed}")
        federation = Federation(
            self._options.firm, plan, folder, self._enrolment, self._network
        )
        with contextlib.closing(federation):
            problems = self._strike(federation)
            self.tally.take(federation, problems)
            attempts = federation.record().get("attempt", 0)
            if problems:
                self._keep(federation, problems)
        shutil.rmtree(folder)
        seconds = time.monotonic() - begin
        print(
            f"{plan.seed}: {plan.text()}: {attempts} attempts, {seconds:.1f} s, "
            f"{self.tally.kills} kills so far: {'FAILED' if problems else 'right'}",
            flush=True,
        )

    def _strike(self, federation):
        try:
            federation.start_all()
            # The faults have a stream of random numbers of their own: the plan may grow.
            rng = random.Random(federation.plan.seed + 1_000_003)
            strike_all(federation, rng, self.tally, self._kills_left())
            return federation.finish()
        except Exception:  # of the soak itself: keep the logs, too
            return [traceback.format_exc()]

    def _keep(self, federation, problems):
        """Copies logs and run directories; prints how to repeat the federation."""
        kept = os.path.join(self._options.out, f"failed-{federation.plan.seed}")
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(federation.folder, kept)
        for problem in problems:
            print(f"  {problem}")
        print(f"  logs: {kept}")
        sites = self._options.most_sites
        more = "" if sites == MOST_SITES else f" --most-sites {sites}"
        print(f"  to repeat: ./dev soak --federations 1 --seed {federation.plan.seed}{more}")


def main(words):
    options = parse(words)
    # An exception ends all processes and unmounts disks.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    print(f"soak: the first seed is {options.seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="firm-soak-")
    network = Network()
    try:
        soak = Soak(options, folder, network)
        complete = soak.run()
    finally:
        network.close()
        shutil.rmtree(folder, ignore_errors=True)
    tally = soak.tally
    print(tally.table())
    if tally.failed:
        print(f"soak: FAILED: seeds {', '.join(map(str, tally.failed))}")
        return 1
    if not tally.attacks_arrive():
        print("soak: FAILED: no hostile client with a certificate was answered")
        return 1
    verdict = "all images are right" if tally.federations > 0 else "no federation has ended"
    print(f"soak: {verdict}{'' if complete else '; stopped before the end'}")
    return 0 if complete else 5


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
