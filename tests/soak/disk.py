"""A small disk: a tmpfs, where this process may mount one."""

import os
import subprocess


def mount(*arguments):
    done = subprocess.run(
        ["mount", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return done.returncode == 0


class SmallDisk:
    def __init__(self, path, size):
        os.makedirs(path, exist_ok=True)
        self._path = path
        self.mounted = mount("-t", "tmpfs", "-o", f"size={size}", "firm-soak", path)

    def enlarge(self):
        """Makes room, as an operator would."""
        if not mount("-o", "remount,size=64m", self._path):
            raise RuntimeError(f"{self._path}: cannot enlarge the tmpfs")

    def close(self):
        if self.mounted:
            subprocess.run(["umount", self._path], check=True)
            self.mounted = False
