#!/usr/bin/env python3
"""Tests of the soak itself: its network, its plans, and that its checks find what is wrong.

    soak_test.py PROGRAM
"""

import contextlib
import dataclasses
import glob
import io
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest

from faults import FullDisk
from federation import COORDINATOR, MIB, Federation
from hostile import DATA, SETTINGS, Clients, frame, has_message, message
from plan import METHODS, make_plan
from processes import Peak
from proxy import Network
from soak import parse
from study import Enrolment
from tally import MANY_JOINS, Tally

PROGRAM = ""


class Echo:
    """A server that sends back what it receives."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            while data := connection.recv(4096):
                connection.sendall(data)

    def close(self):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class ProxyTest(unittest.TestCase):
    def setUp(self):
        self.network = Network()
        self.addCleanup(self.network.close)
        echo = Echo()
        self.addCleanup(echo.close)
        self.proxy = self.network.proxy()
        self.proxy.forward_to(echo.port)

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.proxy.port), timeout=20)
        self.addCleanup(client.close)
        return client

    def test_passes_bytes_in_order(self):
        client = self.connect()
        self.proxy.delay(0.002)
        sent = bytes(range(256)) * 40
        threading.Thread(target=client.sendall, args=(sent,), daemon=True).start()
        received = b""
        while len(received) < len(sent):
            received += client.recv(4096)
        self.assertEqual(received, sent)

    def test_delays_both_ways(self):
        client = self.connect()
        self.proxy.delay(0.1)
        begin = time.monotonic()
        client.sendall(b"x")
        self.assertEqual(client.recv(1), b"x")
        self.assertGreaterEqual(time.monotonic() - begin, 0.2)

    def test_stalls_within_a_message(self):
        client = self.connect()
        self.proxy.stall_after(3)
        client.sendall(b"abcdef")
        while not self.proxy.stalled:
            time.sleep(0.01)
        client.settimeout(0.2)
        with self.assertRaises(TimeoutError):
            client.recv(1)
        self.proxy.resume()
        client.settimeout(20)
        received = b""
        while len(received) < 6:
            received += client.recv(6)
        self.assertEqual(received, b"abcdef")

    def test_cuts_connections(self):
        client = self.connect()
        client.sendall(b"x")
        client.recv(1)
        self.proxy.cut()
        try:
            self.assertEqual(client.recv(1), b"")
        except ConnectionResetError:
            pass
        again = self.connect()
        again.sendall(b"y")
        self.assertEqual(again.recv(1), b"y")


class PlanTest(unittest.TestCase):
    def test_seed_decides_everything(self):
        self.assertEqual(make_plan(17), make_plan(17))
        plans = [make_plan(seed) for seed in range(300)]
        self.assertEqual({plan.method for plan in plans}, set(METHODS))
        self.assertEqual({plan.sites for plan in plans}, set(range(3, 13)))
        self.assertTrue(any(plan.small_disk for plan in plans))
        self.assertEqual({make_plan(seed, 3).sites for seed in range(50)}, {3})

    def test_runs_for_a_while_by_default(self):
        self.assertEqual(parse([]).hours, 0.2)
        self.assertIsNone(parse(["--kills", "3"]).hours)
        self.assertEqual(parse(["2", "--kills", "3"]).hours, 2)


    def test_refuses_to_run_nothing(self):
        for words in (["0"], ["-1"], ["nan"], ["--federations", "0"], ["--kills", "0"]):
            with contextlib.redirect_stderr(io.StringIO()) as text:
                with self.assertRaises(SystemExit) as end:
                    parse(words)
            self.assertEqual(end.exception.code, 2, words)
            self.assertIn("expected a number above 0", text.getvalue())


class FakeProcess:
    def __init__(self, code):
        self.code = code

    def running(self):
        return False

    def exit_code(self):
        return self.code

    def limit_file_size(self, size):
        pass


class FakeFederation:
    """One process, which ends with an exit code as soon as a file is full."""

    def __init__(self, code):
        self.processes = {"xrt": FakeProcess(code)}
        self.started = []

    def running(self):
        return ["xrt"]

    def wait_until(self, condition, _):
        return condition()

    def start(self, name):
        self.started.append(name)


class FaultTest(unittest.TestCase):
    def test_full_disk_has_its_exit_code(self):
        for code, restarts in ((3, ["xrt"]), (-signal.SIGXFSZ, []), (1, []), (None, [])):
            federation = FakeFederation(code)
            self.assertEqual(FullDisk().strike(federation, random.Random(1)), len(restarts), code)
            self.assertEqual(federation.started, restarts, code)

    def test_counts_attacks_that_arrive(self):
        tally = Tally()
        self.assertTrue(tally.attacks_arrive())
        tally.joins = MANY_JOINS
        self.assertFalse(tally.attacks_arrive())
        tally.answered = 1
        self.assertTrue(tally.attacks_arrive())

    def test_finds_a_message_among_frames(self):
        settings = frame(SETTINGS, 0, 0, bytes(12))
        self.assertFalse(has_message(b""))
        self.assertFalse(has_message(settings + frame(DATA, 1, 1, b"")))
        self.assertTrue(has_message(settings + message(b"answer")))


class CheckTest(unittest.TestCase):
    """One federation without faults, whose results are then damaged in turn."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        network = Network()
        self.addCleanup(network.close)
        enrolment = Enrolment(PROGRAM, os.path.join(folder.name, "pki"), 3)
        plan = dataclasses.replace(make_plan(1, 3), small_disk=0, size=16, keepalive=10)
        self.federation = Federation(
            PROGRAM, plan, os.path.join(folder.name, "federation"), enrolment, network
        )
        self.addCleanup(self.federation.close)

    def test_finds_what_is_wrong(self):
        federation = self.federation
        federation.start_all()
        self.assertEqual(federation.finish(), [])
        self.assertGreaterEqual(federation.record()["attempt"], 1)

        image = glob.glob(federation.out("xrt") + "/recon/xrt_rec/*.tiff")[0]
        with open(image, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            last = file.read(1)[0]
            file.seek(-1, os.SEEK_END)
            file.write(bytes([last ^ 1]))
        self.assert_problem("xrt: images differ")

        with open(federation.out("xrf-1") + "/history.jsonl", "a", encoding="utf-8") as file:
            file.write('{"round": 9999, "objective": 1, "step_norm": 1, "kkt": 1}\n')
        self.assert_problem("xrf-1: rounds differ")

        with open(federation.out("xrf-2") + "/images.h5.1.part", "w", encoding="utf-8"):
            self.assert_problem("xrf-2: left over")

        unseen = federation.processes["xrf-1"]
        unseen.peak = Peak()
        self.assert_problem("xrf-1: its memory and descriptors were never seen")

        peak = federation.processes[COORDINATOR].peak
        peak.memory = 400 * MIB
        self.assert_problem("coordinator: 400 MiB of memory")
        peak.last_descriptors = 900
        self.assert_problem("coordinator: 900 descriptors at the end")
        federation.watch.close()
        self.assert_problem("memory and descriptors: no watch any more")

    def test_hostile_clients_reach_the_coordinator(self):
        federation = self.federation
        federation.start(COORDINATOR)
        clients = Clients(federation.port, federation.enrolment)
        self.addCleanup(clients.close)
        self.assertEqual(clients.join(None), b"")
        self.assertIn(b"found stranger", clients.join("stranger", until=b"found stranger"))
        self.assertTrue(clients.join("xrf-1"))
        self.assertEqual((clients.joins, clients.answered), (2, 2))

    def test_finds_a_process_that_does_not_come_back(self):
        self.federation.start_all()
        self.federation.processes["xrf-1"].kill()
        self.assertEqual(self.federation.finish(), ["xrf-1: exit code -9"])

    def assert_problem(self, text):
        problems = self.federation.finish()
        self.assertTrue(any(problem.startswith(text) for problem in problems), problems)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
