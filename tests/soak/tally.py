"""Tally: what a soak has done and found, as tables."""

import collections
import os
import platform

from federation import COORDINATOR, MIB


MANY_JOINS = 6


class Tally:
    def __init__(self):
        self.counts = collections.Counter()
        self.federations = 0
        self.sites = 0
        self.attempts = 0
        self.resumed = 0
        self.failed = []  # seeds
        self.joins = 0  # Federation.joins
        self.answered = 0
        self.seconds = 0.0
        self.coordinator = [0, 0, 0]  # memory, descriptors, descriptors at the end
        self.site = [0, 0, 0]

    def add(self, fault, count):
        self.counts[fault] += count

    @property
    def kills(self):
        return self.counts["kill -9"]

    def take(self, federation, problems):
        """Counts a federation that has ended."""
        self.federations += 1
        self.sites += federation.plan.sites
        self.attempts += federation.record().get("attempt", 0)
        self.resumed += federation.resumed()
        self.add("disk full (tmpfs)", federation.disks_filled)
        self.add("hostile messages: sites put out", federation.evictions)
        self.joins += federation.joins
        self.answered += federation.answered
        if problems:
            self.failed.append(federation.plan.seed)
        for name, process in federation.processes.items():
            most = self.coordinator if name == COORDINATOR else self.site
            peak = process.peak
            seen = (peak.memory, peak.descriptors, peak.last_descriptors)
            most[:] = [max(a, b) for a, b in zip(most, seen)]

    def attacks_arrive(self):
        """False if so many hostile clients have had no answer that not the coordinator, which drops
        a few of them, but the soak itself must be wrong."""
        return self.answered > 0 or self.joins < MANY_JOINS

    def table(self):
        rows = [
            ("federations", f"{self.federations}, with {self.sites} sites"),
            ("minutes", f"{self.seconds / 60:.1f}"),
            ("machine", f"{os.cpu_count()} cores, {platform.machine()}"),
            ("attempts", f"{self.attempts}, {self.resumed} of them from a checkpoint"),
        ]
        rows.append(("hostile clients that were answered", f"{self.answered} of {self.joins}"))
        rows += [(name, str(count)) for name, count in sorted(self.counts.items())]
        for name, most in (("coordinator", self.coordinator), ("site", self.site)):
            rows.append((f"{name}: most memory", f"{most[0] / MIB:.0f} MiB"))
            rows.append((f"{name}: most descriptors", f"{most[1]}, at the end {most[2]}"))
        rows.append(("federations that failed", str(len(self.failed))))
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"  {name:<{width}}  {value}" for name, value in rows)
