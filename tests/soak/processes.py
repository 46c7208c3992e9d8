"""Processes of a federation: they are started, signalled, measured and waited for."""

import os
import resource
import signal
import subprocess
import threading
import time


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def run(command, codes=(0,)):
    """Runs a command to its end. Raises RuntimeError, with its output, on other exit codes."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode not in codes:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def status_bytes(pid, key):
    """A size in /proc/PID/status, such as VmHWM; 0 for a process that has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def open_descriptors(pid):
    """Number of open descriptors; 0 for a process that has ended."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


class Peak:
    """Largest memory and number of descriptors that a process, over all restarts, has had."""

    def __init__(self):
        self.memory = 0
        self.descriptors = 0
        self.last_descriptors = 0  # at the last look

    def look(self, pid):
        self.memory = max(self.memory, status_bytes(pid, "VmHWM"))
        count = open_descriptors(pid)
        if count > 0:
            self.descriptors = max(self.descriptors, count)
            self.last_descriptors = count


class Process:
    """One member of a federation. Its log keeps what all its starts have printed."""

    def __init__(self, name, command, log):
        self.name = name
        self.command = command
        self.log = log
        self.peak = Peak()
        self.starts = 0
        self._child = None
        self._pump = None
        self._begin = 0  # size of the log at the last start

    def start(self):
        if self.running():
            raise RuntimeError(f"{self.name} is running")
        self._wait_for_log()
        self._begin = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        self._child = subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._pump = threading.Thread(target=self._copy, args=(self._child.stdout,), daemon=True)
        self._pump.start()
        self.starts += 1

    def _copy(self, pipe):
        """Writes the log for the process, whose own files may be limited in size."""
        with pipe, open(self.log, "ab", buffering=0) as file:
            while data := pipe.read1(1 << 16):
                file.write(data)

    def _wait_for_log(self):
        if self._pump is not None:
            self._pump.join()

    @property
    def pid(self):
        return self._child.pid

    def running(self):
        return self._child is not None and self._child.poll() is None

    def exit_code(self):
        """None while it runs, and before its first start; -N if signal N ended it."""
        return None if self._child is None else self._child.poll()

    def wait(self, seconds):
        try:
            return self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self):
        """SIGKILL; returns whether it was running."""
        if not self.running():
            return False
        self._child.kill()
        self._child.wait()
        return True

    def stop(self):
        if self.running():
            self._child.send_signal(signal.SIGSTOP)

    def resume(self):
        if self.running():
            self._child.send_signal(signal.SIGCONT)

    def limit_file_size(self, size):
        """From now on no file of the process can grow beyond `size`; None: without a limit."""
        soft = resource.RLIM_INFINITY if size is None else size
        try:
            resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (soft, resource.RLIM_INFINITY))
        except ProcessLookupError:
            pass  # it has ended

    def printed(self):
        """Everything since the last start."""
        if not self.running():
            self._wait_for_log()
        if not os.path.exists(self.log):
            return ""
        with open(self.log, "rb") as file:
            file.seek(self._begin)
            return file.read().decode(errors="replace")

    def text_after(self, mark, seconds):
        """Rest of the first line since the last start that has the mark; None: there is none."""
        end = time.monotonic() + seconds
        while True:
            for line in self.printed().splitlines(keepends=True):
                if mark in line and line.endswith("\n"):
                    return line.split(mark, 1)[1].strip()
            if not self.running() or time.monotonic() > end:
                return None
            time.sleep(0.01)


class Watch:
    """Looks at the memory and the descriptors of processes, from a thread, until it is closed."""

    def __init__(self, processes, pause=0.02):
        self._processes = processes
        self._pause = pause
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self):
        while not self._end.wait(self._pause):
            for process in self._processes:
                if process.running():
                    process.peak.look(process.pid)

    def watches(self):
        return self._thread.is_alive()

    def close(self):
        self._end.set()
        self._thread.join()
