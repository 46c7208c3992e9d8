"""Federation: a coordinator and sites as processes on this machine, each site behind a proxy, and
the checks of their results."""

import glob
import json
import os
import time

import study as studies
from disk import SmallDisk
from processes import Process, Watch, text_of

COORDINATOR = "coordinator"
PATIENCE = 300  # seconds; longest wait for anything
EVICTED = "has connected again, from elsewhere"  # somebody else has used the certificate
MIB = 1 << 20
# Limits of a process. docs/federation.md: 40 MiB, and 8 MiB for each site; hostile clients add some.
COORDINATOR_MEMORY = (60 * MIB, 8 * MIB)  # and for each site
SITE_MEMORY = 120 * MIB
COORDINATOR_DESCRIPTORS = (32, 2)
SITE_DESCRIPTORS = 32


def history(folder):
    """Numbers of every round that are sums over all sites."""
    rows = [json.loads(line) for line in text_of(folder + "/history.jsonl").splitlines()]
    return [[row[key] for key in ("round", "objective", "step_norm", "kkt")] for row in rows]


def tiffs(folder, site):
    """Bytes of the reconstructed slices of a site."""
    images = {}
    for path in sorted(glob.glob(f"{folder}/recon/{site}_rec/*.tiff")):
        with open(path, "rb") as file:
            images[os.path.basename(path)] = file.read()
    return images


class Federation:
    def __init__(self, firm, plan, folder, enrolment, network):
        self.plan = plan
        self.folder = folder
        self.enrolment = enrolment
        self.port = None
        self.disks_filled = 0
        self.evictions = 0
        self.joins = 0  # of hostile clients with a certificate, while the coordinator runs
        self.answered = 0  # of them
        self._attacked = set()  # sites whose certificate a hostile client has used
        os.makedirs(folder)
        self._reference = os.path.join(folder, "reference")
        study = studies.make_study(firm, plan, os.path.join(folder, "study"))
        studies.make_reference(firm, plan, study, self._reference)
        self.proxies = {name: network.proxy() for name in plan.names}
        for proxy in self.proxies.values():
            proxy.delay(plan.delay)
        self._commands = _Commands(firm, plan, study, self)
        everyone = [COORDINATOR] + plan.names
        self.processes = {
            name: Process(name, self._commands.of(name), os.path.join(folder, name + ".log"))
            for name in everyone
        }
        self._disk = None
        if plan.small_disk > 0:
            disk = SmallDisk(self.out(self.small), plan.small_disk)
            self._disk = disk if disk.mounted else None
        self.watch = Watch(list(self.processes.values()))

    @property
    def small(self):
        """The site with the small disk, if there is one."""
        return self.plan.names[self.plan.seed % self.plan.sites]

    def out(self, name):
        return os.path.join(self.folder, "run-" + name)

    # --- processes

    def start_all(self):
        for name in self.processes:
            self.start(name)

    def start(self, name):
        process = self.processes[name]
        process.start()
        if name == COORDINATOR:
            self._connect(process)

    def _connect(self, coordinator):
        port = coordinator.text_after("listening on port ", PATIENCE)
        if port is None:
            if coordinator.running():
                raise RuntimeError("the coordinator does not listen")
            return  # it has nothing left to do, or finish() finds its exit code
        self.port = int(port.split()[0])
        for proxy in self.proxies.values():
            proxy.forward_to(self.port)

    def running(self):
        return [name for name, process in self.processes.items() if process.running()]

    def expect_eviction(self, site):
        self._attacked.add(site)

    def supervise(self):
        """Does what an operator would do: makes room on the small disk once it is full, and starts
        sites again that have ended for that, or because somebody else has used their certificate."""
        for name, process in self.processes.items():
            if self._is_full(name, process.exit_code()):
                self._disk.enlarge()
                self.disks_filled += 1
                process.start()
            elif self._is_evicted(name, process.exit_code()):
                self.evictions += 1
                process.start()

    def _is_full(self, name, code):
        return code == 3 and name == self.small and self._disk and self.disks_filled == 0

    def _is_evicted(self, name, code):
        return code == 2 and name in self._attacked and EVICTED in self.processes[name].printed()

    def wait_until(self, condition, seconds):
        """Waits for a condition; returns whether it holds while processes are still running."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.supervise()
            if not self.running():
                return False
            if condition():
                return True
            time.sleep(0.005)
        return False

    # --- the end

    def finish(self):
        """Waits until all processes have ended; returns what is wrong, as texts."""
        end = time.monotonic() + PATIENCE
        while True:
            self.supervise()
            states = {name: self._state(name) for name in self.processes}
            wrong = [f"{name}: {text}" for name, text in states.items() if text not in ("", "runs")]
            if wrong:
                return wrong
            running = [name for name, text in states.items() if text == "runs"]
            if not running:
                return self._check()
            if time.monotonic() > end:
                return [f"{name}: still running after {PATIENCE} s" for name in running]
            time.sleep(0.01)

    def _state(self, name):
        """Empty: ended with a result. "runs": or will be started again. Else what is wrong."""
        process = self.processes[name]
        code = process.exit_code()
        if code is None or self._is_full(name, code) or self._is_evicted(name, code):
            return "runs"
        limit = code == 5 and "stopped after" in process.printed()
        return "" if code == 0 or limit else f"exit code {code}"

    def _check(self):
        return self._check_results() + self._check_sizes()

    def _check_results(self):
        problems = []
        if not self.record().get("finished"):
            problems.append("coordinator.json: the run is not finished")
        rounds = history(self._reference)
        for name in self.plan.names:
            expected = tiffs(self._reference, name)
            if len(expected) != self.plan.slices or tiffs(self.out(name), name) != expected:
                problems.append(f"{name}: images differ from those of firm recon --separate")
            if history(self.out(name)) != rounds:
                problems.append(f"{name}: rounds differ from those of firm recon --separate")
            for part in glob.glob(self.out(name) + "/**/*.part", recursive=True):
                problems.append(f"{name}: left over: {os.path.basename(part)}")
        return problems

    def _check_sizes(self):
        problems = [] if self.watch.watches() else ["memory and descriptors: no watch any more"]
        sites = self.plan.sites
        for name, process in self.processes.items():
            memory, descriptors = SITE_MEMORY, SITE_DESCRIPTORS
            if name == COORDINATOR:
                memory = COORDINATOR_MEMORY[0] + sites * COORDINATOR_MEMORY[1]
                descriptors = COORDINATOR_DESCRIPTORS[0] + sites * COORDINATOR_DESCRIPTORS[1]
            peak = process.peak
            if peak.memory == 0 or peak.descriptors == 0:
                problems.append(f"{name}: its memory and descriptors were never seen")
            if peak.memory > memory:
                problems.append(f"{name}: {peak.memory // MIB} MiB of memory, limit {memory // MIB}")
            if peak.last_descriptors > descriptors:
                problems.append(
                    f"{name}: {peak.last_descriptors} descriptors at the end, limit {descriptors}"
                )
        return problems

    def record(self):
        return json.loads(text_of(self.out(COORDINATOR) + "/coordinator.json") or "{}")

    def resumed(self):
        """Number of attempts that began at a checkpoint."""
        mark = " begins at round "
        log = text_of(self.processes[COORDINATOR].log)
        return sum(int(rest.split()[0]) > 0 for rest in log.split(mark)[1:])

    def close(self):
        for process in self.processes.values():
            process.kill()
        self.watch.close()
        for proxy in self.proxies.values():
            proxy.close()
        if self._disk is not None:
            self._disk.close()


class _Commands:
    def __init__(self, firm, plan, study, federation):
        self._firm = firm
        self._plan = plan
        self._study = study
        self._federation = federation

    def of(self, name):
        plan = self._plan
        if name == COORDINATOR:
            command = [self._firm, "coordinator", self._study, "--listen", "127.0.0.1:0"]
            command += ["--pki", self._federation.enrolment.coordinator]
            command += ["--checkpoint-seconds", str(plan.checkpoint_seconds)]
        else:
            server = f"127.0.0.1:{self._federation.proxies[name].port}"
            command = [self._firm, "site", self._study, "--name", name, "--server", server]
            command += ["--pki", self._federation.enrolment.of(name)]
        command += ["--out", self._federation.out(name)]
        command += ["--keepalive-seconds", str(plan.keepalive)]
        command += [] if plan.masked else ["--insecure"]
        return command + studies.settings_of(plan)
