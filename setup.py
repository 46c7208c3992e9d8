"""Builds the Python package with CMake, by scikit-build.

    pip install . --no-build-isolation

With FIRM_BUILT=DIRECTORY, takes the module from that build tree instead of compiling it.
"""
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent
NAMES = {"pybind11": "pybind11-dev python3-pybind11", "skbuild": "python3-skbuild",
         "numpy": "python3-numpy"}


def require(*modules):
    """Ends with a clear answer if this interpreter lacks a module that the build needs."""
    missing = []
    for module in modules:
        try:
            __import__(module)
        except ImportError:
            missing.append(module)
    if not missing:
        return
    packages = " ".join(NAMES[module] for module in missing)
    sys.exit(
        f"firm: expected {', '.join(missing)} for {sys.executable} (Python "
        f"{sys.version.split()[0]}), found none.\n"
        f"Debian's interpreter gets it by: apt install {packages}\n"
        "and then: /usr/bin/python3 -m pip install . --no-build-isolation (or ./dev python).\n"
        "For another interpreter, install these modules into it first.")


version = re.search(r"project\(firm VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
metadata = dict(
    name="firm",
    version=version,
    description="Joint reconstruction of X-ray fluorescence and transmission tomograms",
    packages=["firm"],
    package_data={"firm": ["py.typed", "*.pyi", "*.so"]},
    python_requires=">=3.9",
    install_requires=["numpy"],
    extras_require={"all": ["scipy", "tqdm", "xarray"]},
    zip_safe=False,
)

built = os.environ.get("FIRM_BUILT")
if built:
    from setuptools import Distribution, setup

    class BinaryDistribution(Distribution):
        def has_ext_modules(self):
            return True

    # A copy, because setuptools leaves files beside its sources.
    copy = ROOT / "build" / "python-wheel"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(pathlib.Path(built) / "python-module" / "package", copy,
                    ignore=shutil.ignore_patterns("__pycache__"))
    setup(package_dir={"": os.path.relpath(copy, ROOT)}, distclass=BinaryDistribution, **metadata)
else:
    require("numpy", "pybind11", "skbuild")
    import pybind11
    from skbuild import setup

    setup(
        package_dir={"": "python"},
        cmake_install_dir="python",
        cmake_args=["-DFIRM_BUILD_PYTHON=ON", "-DFIRM_PYTHON_ONLY=ON", "-DFIRM_BUILD_TESTS=OFF",
                    "-DFIRM_BUILD_BENCHMARKS=OFF", f"-DFIRM_PYTHON={sys.executable}",
                    f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"],
        **metadata)
