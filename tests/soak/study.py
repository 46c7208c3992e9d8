"""Study, certificates and reference images of a federation, made by the program itself."""

import os
import re
import shutil

from plan import MOST_SITES
from processes import run, text_of


class Enrolment:
    """Certificates of a coordinator, and of as many sites as any federation has, made once."""

    def __init__(self, firm, folder, sites=MOST_SITES):
        self._folder = folder
        self.coordinator = os.path.join(folder, "coordinator")
        run([firm, "pki", "init", "--dir", self.coordinator, "--name", "soak"])
        for name in [f"xrf-{k + 1}" for k in range(sites - 1)] + ["xrt", "stranger"]:
            self._enrol(firm, name)

    def of(self, site):
        return os.path.join(self._folder, site)

    def _enrol(self, firm, name):
        home = self.of(name)
        run([firm, "pki", "request", "--dir", home, "--name", name])
        request = os.path.join(home, name + ".csr")
        certificate = os.path.join(home, name + ".crt")
        run([firm, "pki", "sign", "--dir", self.coordinator, request, "--out", certificate])
        shutil.copy(os.path.join(self.coordinator, "ca.crt"), home)


def site_tables(text):
    """The [[site]] tables of a study, and the text around them."""
    head, rest = text.split("[[site]]", 1)
    tables, solve = rest.split("[solve]", 1)
    return head, ["[[site]]" + table for table in tables.split("[[site]]")], "[solve]" + solve


def with_sites(text, plan):
    """The study with as many sites as the plan has: some of the simulated ones, or copies."""
    head, tables, solve = site_tables(text)
    elements, xrt = tables[:-1], tables[-1]
    chosen = []
    for k, name in enumerate(plan.names[:-1]):
        table = elements[k % len(elements)]
        chosen.append(re.sub(r'^name = ".*"', f'name = "{name}"', table, flags=re.MULTILINE))
    chosen.append(xrt)
    if plan.method.sigma:
        chosen = [table.rstrip() + '\nsigma = "estimate"\n\n' for table in chosen]
    head = re.sub(r"^(truth|matrix) = .*\n", "", head, flags=re.MULTILINE)
    head = head.replace("[study]\n", "[study]\n" + plan.method.study)
    solve = re.sub(r"^stop\..*\n", "", solve, flags=re.MULTILINE)
    return head + "".join(chosen) + solve


def settings_of(plan):
    words = []
    for setting in plan.settings:
        words += ["--set", setting]
    return words


def make_study(firm, plan, folder):
    """Writes the study and its data; returns the path of study.toml."""
    command = [firm, "simulate", "--out", folder, "--preset", plan.preset, "--noise", "0.02"]
    for key in ("size", "angles", "slices", "seed"):
        command += ["--" + key, str(getattr(plan, key))]
    run(command + list(plan.method.simulate))
    path = os.path.join(folder, "study.toml")
    text = with_sites(text_of(path), plan)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def make_reference(firm, plan, study, folder):
    """The images of an undisturbed run of all sites in one process. 5: a limit has ended it."""
    run([firm, "recon", study, "--separate", "--out", folder] + settings_of(plan), codes=(0, 5))
