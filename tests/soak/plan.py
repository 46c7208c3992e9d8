"""Plan: everything about one federation that a seed decides."""

import dataclasses
import random

MOST_SITES = 12


@dataclasses.dataclass(frozen=True)
class Method:
    name: str
    settings: tuple  # key=value, for all processes
    rounds: tuple  # range of stop.rounds; empty: the method ends by its own rule
    sigma: bool = False  # sites estimate their noise
    simulate: tuple = ()
    study: str = ""  # further lines of [study]
    masks: bool = True  # it can have them

    def with_rounds(self, rng):
        rounds = (f"stop.rounds={rng.randint(*self.rounds)}",) if self.rounds else ()
        # All processes share this machine.
        return self.settings + rounds + ("threads=1",)


NO_RULE = "stop.discrepancy=0"
METHODS = (
    Method("firm-ds at the noise", ("method=firm-ds", NO_RULE, "stop.noise=0.5"), (), sigma=True),
    Method("firm-ds", ("method=firm-ds", NO_RULE, "stop.kkt=1e-12"), (15, 60)),
    Method(
        "firm-ds with a prior",
        ("method=firm-ds", "prior.kind=tv", "prior.strength=1", "stop.kkt=1e-12"),
        (10, 30),
        sigma=True,
    ),
    Method(
        "firm-ds, absorption",
        ("method=firm-ds", "absorption.start=xrt", "stop.kkt=1e-12"),
        (10, 30),
        simulate=("--self-absorption",),
        study='attenuation = "xrt"\nmatrix = "SiO2"\n',
    ),
    Method("firm", ("method=firm", NO_RULE), (60, 250)),
    Method("firm+", ("method=firm+", NO_RULE), (40, 150)),
    Method("fedpgd", ("method=fedpgd", NO_RULE, "stop.kkt=1e-12"), (40, 150), masks=False),
    Method("pgd", ("method=pgd", NO_RULE, "stop.kkt=1e-12"), (60, 250)),
)


@dataclasses.dataclass(frozen=True)
class Plan:
    seed: int
    method: Method
    settings: tuple
    sites: int
    size: int
    angles: int
    slices: int
    preset: str
    masked: bool
    delay: float  # of every message, in seconds, each way
    keepalive: float
    checkpoint_seconds: float
    faults: int  # most of them
    small_disk: int  # bytes on the disk of one site; 0: enough

    @property
    def names(self):
        return [f"xrf-{k + 1}" for k in range(self.sites - 1)] + ["xrt"]

    def text(self):
        return (
            f"{self.method.name}, {self.sites} sites, {self.slices} x {self.size}^2, "
            f"{self.angles} angles{'' if self.masked else ', no masks'}"
        )


def make_plan(seed, most_sites=MOST_SITES):
    rng = random.Random(seed)
    method = rng.choice(METHODS)
    # Most federations are small: they end sooner, so that faults hit more of their moments.
    sites = rng.choice((rng.randint(3, 5), rng.randint(3, 5), rng.randint(3, MOST_SITES)))
    return Plan(
        seed=seed,
        method=method,
        settings=method.with_rounds(rng),
        sites=min(sites, most_sites),
        size=rng.choice((16, 24, 32)),
        angles=rng.randint(6, 12),
        slices=rng.choice((1, 1, 2, 3)),
        preset=rng.choice(("paper", "shapes", "smooth")),
        masked=rng.random() < 0.85 and method.masks,
        delay=rng.choice((0, 0.001, 0.003, 0.008)),
        keepalive=rng.choice((3, 10)),
        checkpoint_seconds=rng.choice((0.02, 0.1, 0.5)),
        faults=rng.randint(8, 24),
        small_disk=rng.choice((0, 0, 0, 0, 0, rng.randint(20, 160) * 1024)),
    )
