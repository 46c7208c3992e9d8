"""Faults: each strikes a running federation once, and leaves it able to recover.

strike() returns how often it has struck: 0 if the run has ended before.
"""

import os
import time

from federation import COORDINATOR, PATIENCE
from hostile import Clients, has_message, malformed_messages

DISK_FULL = 3  # exit code; firm ignores SIGXFSZ


def pause(rng, least, most):
    time.sleep(rng.uniform(least, most))


def any_member(federation, rng):
    """A site, or more often than one of many sites the coordinator."""
    names = federation.running()
    if not names:
        return None
    if COORDINATOR in names and rng.random() < 0.3:
        return COORDINATOR
    return rng.choice(names)


class Moments:
    """Moments at which a kill is worth most: within a message, between rounds, at the results."""

    def __init__(self, federation, rng):
        self._federation = federation
        self._rng = rng

    def wait(self):
        """Returns whether the run still goes on."""
        kind = self._rng.choices(("time", "bytes", "results"), (3, 6, 1))[0]
        return getattr(self, "_" + kind)()

    def _time(self):
        pause(self._rng, 0, 0.4)
        return bool(self._federation.running())

    def _bytes(self):
        """Stops the traffic of a site after some bytes, often within a message."""
        site = self._rng.choice(self._federation.plan.names)
        proxy = self._federation.proxies[site]
        proxy.stall_after(int(10 ** self._rng.uniform(2.5, 5.5)))
        self._federation.wait_until(lambda: proxy.stalled, 1.5)
        return bool(self._federation.running())

    def _results(self):
        site = self._rng.choice(self._federation.plan.names)
        images = self._federation.out(site) + "/images.h5"
        self._federation.wait_until(lambda: os.path.exists(images), 2)
        return bool(self._federation.running())

    def release(self):
        for proxy in self._federation.proxies.values():
            proxy.resume()


class Kill:
    """SIGKILL at one, and sometimes at two at once; they start again sooner or later."""

    name = "kill -9"

    def strike(self, federation, rng):
        moments = Moments(federation, rng)
        if not moments.wait():
            moments.release()
            return 0
        victims = []
        for _ in range(rng.choice((1, 1, 1, 2))):
            name = any_member(federation, rng)
            if name is not None and federation.processes[name].kill():
                victims.append(name)
        # Decides whether the others first learn of the end or of the restart.
        late = rng.random() < 0.5
        if not late:
            moments.release()
        pause(rng, 0, 0.15)
        for name in victims:
            federation.start(name)
        moments.release()
        return len(victims)


class Stop:
    """SIGSTOP, and SIGCONT before or after the others have given the process up."""

    name = "SIGSTOP"

    def strike(self, federation, rng):
        pause(rng, 0, 0.3)
        name = any_member(federation, rng)
        if name is None:
            return 0
        process = federation.processes[name]
        process.stop()
        pause(rng, 0.05, rng.choice((0.3, 0.3, 0.3, 7)))
        process.resume()
        return 1


class Cut:
    name = "connection cut"

    def strike(self, federation, rng):
        proxy = federation.proxies[rng.choice(federation.plan.names)]
        proxy.stall_after(int(10 ** rng.uniform(2, 5)))
        stalled = federation.wait_until(lambda: proxy.stalled, 2)
        proxy.cut()
        proxy.resume()
        return 1 if stalled else 0


class Stall:
    name = "connection stalled"

    def strike(self, federation, rng):
        pause(rng, 0, 0.3)
        if not federation.running():
            return 0
        proxy = federation.proxies[rng.choice(federation.plan.names)]
        proxy.stall()
        pause(rng, 0.05, rng.choice((0.3, 0.3, 0.3, 7)))
        if rng.random() < 0.5:
            proxy.cut()
        proxy.resume()
        return 1


class Delay:
    name = "delay"

    def strike(self, federation, rng):
        if not federation.running():
            return 0
        proxy = federation.proxies[rng.choice(federation.plan.names)]
        proxy.delay(rng.uniform(0.005, 0.03))
        pause(rng, 0, 0.5)
        proxy.delay(federation.plan.delay)
        return 1


class FullDisk:
    """A limit on the size of files: the process ends with exit code 3, and starts again."""

    name = "disk full (limit)"

    def strike(self, federation, rng):
        pause(rng, 0, 0.3)
        name = any_member(federation, rng)
        if name is None:
            return 0
        process = federation.processes[name]
        process.limit_file_size(rng.choice((0, 4_000, 12_000)))
        federation.wait_until(lambda: not process.running(), 3)
        process.limit_file_size(None)  # there is room again
        if process.exit_code() != DISK_FULL:
            return 0
        federation.start(name)
        return 1


class Hostility:
    """Connections of strangers."""

    name = "hostile connections"

    def strike(self, federation, rng):
        if COORDINATOR not in federation.running():
            return 0
        clients = Clients(federation.port, federation.enrolment)
        try:
            self._attack(clients, federation, rng)
        except (ConnectionError, TimeoutError):
            pass  # the coordinator has ended meanwhile
        finally:
            clients.close()
        if COORDINATOR in federation.running():
            federation.joins += clients.joins
            federation.answered += clients.answered
        return clients.opened

    def _attack(self, clients, federation, rng):
        clients.idle(rng.randint(5, 25))
        clients.garbage(rng)
        for _ in range(rng.randint(1, 5)):
            clients.half_open(rng)
        if clients.join(None):
            raise RuntimeError("the coordinator has answered a client without a certificate")
        refusal = b"found stranger"
        answer = clients.join("stranger", until=refusal)
        if has_message(answer) and refusal not in answer:
            raise RuntimeError("the coordinator has not refused a site that is not in the study")
        pause(rng, 0, 0.3)


class Insider(Hostility):
    """Messages that no site sends, with the certificate of a site, which is put out for that."""

    name = "hostile messages"

    def _attack(self, clients, federation, rng):
        for data in rng.sample(malformed_messages(rng), 2):
            site = rng.choice(federation.plan.names)
            federation.expect_eviction(site)
            clients.join(site, data)


FAULTS = (
    (Kill(), 18),
    (Stop(), 2),
    (Cut(), 2),
    (Stall(), 1),
    (Delay(), 1),
    (FullDisk(), 2),
    (Hostility(), 1),
    (Insider(), 1),
)


def strike_all(federation, rng, tally, most_kills=None):
    """Strikes until the plan's number of faults is reached or the run has ended."""
    kills = 0
    faults, weights = zip(*FAULTS)
    end = time.monotonic() + PATIENCE
    for _ in range(federation.plan.faults):
        fault = rng.choices(faults, weights)[0]
        count = fault.strike(federation, rng)
        federation.supervise()
        tally.add(fault.name, count)
        kills += count if isinstance(fault, Kill) else 0
        done = most_kills is not None and kills >= most_kills
        if done or not federation.running() or time.monotonic() > end:
            break
    return kills
