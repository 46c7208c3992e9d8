"""pip install . --no-build-isolation, from a clean copy of the sources, into an environment.

usage: test_pip_long.py SOURCE
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


source = pathlib.Path(sys.argv[1])
del os.environ["PYTHONPATH"]
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    files = run("git", "ls-files", "-z", cwd=source).split("\0")
    for file in filter(None, files):
        target = folder / "source" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        if (source / file).exists():
            target.write_bytes((source / file).read_bytes())
            target.chmod((source / file).stat().st_mode)
    run(sys.executable, "-m", "venv", "--system-site-packages", folder / "environment")
    python = folder / "environment/bin/python"
    run(python, "-m", "pip", "install", ".", "--no-index", "--no-build-isolation", "--no-deps",
        cwd=folder / "source")
    shown = run(python, "-c", "import firm; print(firm.__file__, firm.method_names())", cwd=folder)
    assert str(folder / "environment") in shown, shown
    print(shown)
