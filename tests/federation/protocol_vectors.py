#!/usr/bin/env python3
"""The test vectors of docs/protocol.md, by a program that follows that page with the standard
library alone: the rules are in vectors/rules.py, the standards below them in vectors/crypto.py.

usage: protocol_vectors.py            print the test vectors
       protocol_vectors.py --check F  compare them with the file F (protocol_vectors.json)

protocol_vectors_test.cc and vectors/site_vectors_test.cc compare the same file with what firm
computes.
"""
import hashlib
import json
import math
import pathlib
import re
import struct
import sys

sys.dont_write_bytecode = True
from vectors.crypto import (BASE, ORDER, POINT, check_known_answers, der, ecdsa_sign, ecdsa_verify,
                            hashed, times, x25519)
from vectors.rules import (Attempt, P, Sum, added, bound_of, bytes_of, chained, digits, double_of,
                           exponent_of, float_of, fraction_bits, names, next_bits, number,
                           public_key_info, scalar, sha, signed, single, study_hash, text, word,
                           word_fits)

ABOUT = ("Test vectors of docs/protocol.md, made by protocol_vectors.py. Bytes are hexadecimal, "
         "those of more than 256 bytes by their SHA-256, except in 'received'. A real site draws "
         "all keys, nonces and salts; here they are hashes of names. The signature is one of many "
         "that are valid: verify it. The certificate was made once, with openssl; "
         "protocol_vectors.py reads its key and checks the signature of the offer, but leaves the "
         "certificate itself to firm.")
FOLDER = pathlib.Path(__file__).parent / "vectors"
ROSTER = ["b", "a", "c"]
RUN, ATTEMPT, ROUND = "3f2a91c07d5e6b84", 2, 40


def secret_of(label):
    return hashlib.sha256(label.encode()).digest()


def short(data):
    return data.hex() if len(data) <= 256 else sha(data)


# ---- "Fixed point" -----------------------------------------------------------------------------


def fixed_point(out):
    out["words"] = [{"value": single(x), "fraction_bits": f, "word": word(single(x), f)}
                    for x, f in [(1.5, 4), (-1.5, 4), (0.03125, 4), (0.09375, 4), (-0.0, 10),
                                 (3e5, -3), (1e-40, 149), (-7.7, 20)]]
    out["decoded words"] = [{"word": w % 2**32, "fraction_bits": f, "value": float_of(w % 2**32, f)}
                            for w, f in [(24, 4), (-24, 4), (2**24 + 1, 0), (2**24 + 3, 0),
                                         (-2**24 - 3, 3), (2**25 + 5, -6), (2**31 - 1, 20),
                                         (-2**31, 149), (3, 149), (100, -120), (0, 7)]]
    out["scalars"] = [{"value": x, "word": scalar(x).to_bytes(32, "little").hex()}
                      for x in [1.0, -1.0, 0.1, -1e20, 1e-30, 3e-49, 2.0**-161, 3 * 2.0**-161, 0.0]]
    # Ties between two doubles, and numbers next to them.
    decoded = [1, -1, 2**53 + 1, 2**53 + 3, -2**53 - 3, 2**200 + 2**147, 2**200 + 2**147 + 1,
               2**200 + 3 * 2**147, -2**200 - 3 * 2**147, 2**200 + 3 * 2**147 - 1, 2**255 - 1,
               -2**255, 2**160 + 2**107, 2**64 + 2**11, 0]
    out["decoded scalars"] = [{"word": (z % 2**256).to_bytes(32, "little").hex(),
                               "value": double_of(z % 2**256)} for z in decoded]
    out["scales"] = [{"exponent": e, "sites": n, "fraction_bits": fraction_bits(e, n)}
                     for e in (-100, -3, 0, 5, 64, 128) for n in (2, 3, 4, 30)]
    values = [[], [0.0], [-0.0], [1.0], [0.5, -0.75], [-8.0, 7.9], [1e-40], [-(2.0**-101)],
              [2.0**-100], [2.0**64], [2.0**128 - 2.0**104]]
    out["exponents"] = [{"values": vs, "exponent": exponent_of(vs), "bound": bound_of(vs)}
                        for vs in ([single(x) for x in vs] for vs in values)]
    # The scale of the next sum; the first four are on both sides of the limit of 8 bits.
    bounds = [(3 * 2.0**-3, 3, 18), (3 * 2.0**-3, 3, 19), (4 * 2.0**-3, 4, 16),
              (4 * 2.0**-3, 4, 17), (96.0, 3, 20), (2.0**7 + 2 * 2.0**-100, 3, 10),
              (30 * 2.0**-100, 30, 0), (4 * 2.0**64, 4, -120), (3 * 2.0**-100, 3, 149)]
    out["next scales"] = [{"bound": b, "sites": n, "fraction_bits": f, "next": next_bits(b, f, n)}
                          for b, n, f in bounds]


# ---- "Study and attempt", "Keys" ---------------------------------------------------------------


def study_of(out):
    terms = [["study", "paper"], ["image rows", "250"], ["option stop.kkt", "1e-05"]]
    members = [{"site": "a", "angles": [0.0, -0.0, 0.1, 1e-5, math.pi], "shifts": [],
                "beamlets": 250, "spacing": 1.0, "rotation_axis": -0.25, "sigma": 1e16,
                "weighted": False},
               {"site": "b", "angles": [1.5], "shifts": [1 / 3], "beamlets": 7, "spacing": 1e-4,
                "rotation_axis": -0.0, "sigma": 0.01, "weighted": True},
               {"site": "c", "angles": [1e-3, 123456.789, 1e6], "shifts": [9.999e-5, -1e-4, 5e-324],
                "beamlets": 1, "spacing": 1e6, "rotation_axis": 20.0, "sigma": 1e15,
                "weighted": False}]
    out["numbers"] = [{"value": x, "digits": digits(x)}
                      for x in [5.0, 0.1, 1e-4, 1e-5, 1e15, 9007199254740993.0, 1e16, -1e22, 1e100,
                                -0.0, 1.7976931348623157e308]]
    out["study"] = {"terms": terms, "members": members, "sha256": study_hash(terms, members)}
    return out["study"]["sha256"]


def altered(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


class Keys:
    """Those of all sites in an attempt, before its first sum."""

    def __init__(self, study):
        self.attempt = attempt = Attempt(study, ROSTER, RUN, ATTEMPT, ROUND)
        self.private = {name: secret_of("private " + name) for name in ROSTER}
        self.public = {name: x25519(self.private[name], BASE) for name in ROSTER}
        self.pairs = {low + high: attempt.pair(x25519(self.private[low], self.public[high]), low,
                                               high, self.public)
                      for low, high in ("ab", "ac", "bc")}
        self.group, self.own = secret_of("group"), {n: secret_of("own " + n) for n in ROSTER}
        self.sums_before = [sha(b"sum 1"), sha(b"sum 2")]
        self.chain = "0" * 64
        for data in self.sums_before:
            self.chain = chained(self.chain, data)
        self.sealed = {n: attempt.sealed(self.pairs["a" + n], n, secret_of("nonce")[:12],
                                         self.group, self.chain) for n in "bc"}

    def with_peers(self, name):
        return {peer: self.pairs[min(name, peer) + max(name, peer)]
                for peer in ROSTER if peer != name}

    def listed(self):
        attempt = self.attempt
        return {"study": attempt.study, "roster": ROSTER, "run": RUN, "attempt": ATTEMPT,
                "round": ROUND, "run_id": attempt.run_id,
                "private": {n: k.hex() for n, k in self.private.items()},
                "public": {n: k.hex() for n, k in self.public.items()},
                "offer": {n: attempt.offer(n, self.public[n]).hex() for n in ROSTER},
                "pair": {n: s.hex() for n, s in self.pairs.items()},
                "group": self.group.hex(), "own": {n: k.hex() for n, k in self.own.items()},
                "sums before": self.sums_before, "chain": self.chain,
                "sealed": {n: s.hex() for n, s in self.sealed.items()}}

    def signature(self):
        """That of b's offer, with the certificate of b. Signing needs no random number here."""
        private = int.from_bytes(secret_of("certificate key b"), "big") % ORDER
        offer = self.attempt.offer("b", self.public["b"])
        signature = ecdsa_sign(private, offer, hashed(b"number k" + offer) % ORDER)
        certificate = (FOLDER / "b.crt").read_text()
        info = public_key_info(certificate)
        point = (int.from_bytes(info[-64:-32], "big"), int.from_bytes(info[-32:], "big"))
        assert point == times(private, POINT) and ecdsa_verify(point, offer, signature)
        return {"authority": (FOLDER / "ca.crt").read_text(), "certificate": certificate,
                "checked at": 1900000000, "key": sha(info), "signature": der(signature).hex()}

    def rejected(self):
        """Public keys of low order, and altered or misdirected seals of the group key."""
        low = [0, 1, 2**255 - 20, 2**255 - 19, 2**255 - 18, 2**255,
               325606250916557431795983626356110631294008115727848805560023387167927233504]
        keys = [x.to_bytes(32, "little") for x in low]
        seals = [altered(self.sealed["b"], at) for at in (0, 11, 12, 43, 44, 107, 108, 123)]
        seals.append(self.sealed["c"])
        for key in keys:
            assert self.attempt.pair(x25519(self.private["a"], key), "a", "b", self.public) is None
        for seal in seals:
            assert self.attempt.opened(self.pairs["ab"], "b", seal) is None
        assert self.attempt.opened(self.pairs["ab"], "b", self.sealed["b"]) is not None
        return {"public": [k.hex() for k in keys], "sealed for b": [s.hex() for s in seals]}


# ---- "Sums" ------------------------------------------------------------------------------------

NONE = {n: [] for n in ROSTER}
VALUES = {"a": [1.5, -2.25, 0.1, 0.0], "b": [-0.5, 7.0, 1e-3, -3.0], "c": [100.0, 0.3, -0.7, 2.5]}
NUMBERS = {"a": [1.0, 0.125], "b": [1.0, -1e20], "c": [1.0, 1e-30]}
LARGER = dict(VALUES, c=[5000.0, 0.3, -0.7, 2.5])
SMALL = {"a": [1e-3, -2e-3, 0.0, 5e-4], "b": [-1e-5, 1.5e-3, 1e-4, 3e-7], "c": [0.0, 0.0, 0.0, 0.0]}
HUGE = {"a": [3e9, -1e8, 0.0], "b": [5.0, 12.0, -1e9], "c": [-2e9, 20.0, 4.0]}
# 700 words, in two blocks of tags: word k of site i = 0, 1, 2.
LONG = {n: [((k * (3 + i)) % 1000 - 500) / 64 for k in range(700)] for i, n in enumerate("abc")}
RULE = "value k of 700 at site i, from 0: (k (3 + i) modulo 1000 - 500) / 64"
# The sums of an attempt that begins without scales.
CASES = [("no words", NONE, NUMBERS, ""),
         ("no scale for this length: all sites send a range", VALUES, NUMBERS, ""),
         ("c asks for a larger scale", LARGER, NUMBERS, ""),
         ("small values: a finer scale from the next sum on", SMALL, NONE, ""),
         ("the finer scale; no scalars but those of the exchange", SMALL, NONE, ""),
         ("negative fraction bits", HUGE, NUMBERS, ""),
         ("two blocks of tags", LONG, NUMBERS, ""),
         ("for c alone: totals and seen differ from now on", SMALL, NONE, "c"),
         ("for c alone, in a second try", VALUES, NONE, "c"),
         ("the last sum", NONE, NONE, "")]


def one_sum(keys, case, exchange, scales, chains):
    """A sum with all that travels for it; changes the scales and the chains."""
    about, values, numbers, opener = case
    sites = len(ROSTER)
    values = {n: [single(x) for x in values[n]] for n in ROSTER}
    size = len(values["a"])
    ranges = {n: exponent_of(vs) for n, vs in values.items()
              if not (size in scales and all(word_fits(x, scales[size], sites) for x in vs))}
    if size == 0:
        ranges, scales[0] = {}, 0
    if ranges:
        scales[size] = fraction_bits(max(ranges.values()), sites)
    bits = scales[size]
    position = {"attempt": ATTEMPT, "exchange": exchange, "try": 1 if ranges else 0,
                "previous": chains["seen"], "opener": opener}
    counts = {n: int(n in ranges and fraction_bits(ranges[n], sites) == bits)
              for n in ROSTER} if ranges else {}
    this = Sum(keys.attempt, position, bits)
    scalars = {n: numbers[n] + [1.0, bound_of(values[n])] for n in ROSTER}
    own_scalars = len(scalars["a"])
    entry = {"about": about, "position": position, "ranges": ranges, "fraction_bits": bits,
             "values": RULE if size == 700 else values, "scalars": scalars, "count": counts,
             "tags": {}, "sent": {}, "commitments": {}}
    shares, sent = {}, {}
    for n in ROSTER:
        share = ([word(x, bits) for x in values[n]], [scalar(x) for x in scalars[n]])
        entry["commitments"][n] = this.commitment(secret_of("salt " + n), n, *share)
        share[1].extend([counts[n]] if counts else [])
        tags = this.tags(keys.group, *share)
        entry["tags"][n] = bytes_of([], tags)[1].hex()
        shares[n] = (share[0], share[1] + tags)
        pad = keys.own[n] if opener else keys.group
        sent[n] = this.masked(n, keys.with_peers(n), pad, *shares[n])
        entry["sent"][n] = [short(x) for x in bytes_of(*sent[n])]

    received = added(list(sent.values()))
    words, all_scalars = this.unmasked(keys.own[opener] if opener else keys.group, *received)
    assert (words, all_scalars) == added(list(shares.values()))
    carry = this.carry(keys.group, words, all_scalars[:-2], all_scalars[-2:])
    assert carry is not None and (not counts or signed(all_scalars[-3], 256) > 0)
    opened = sha(*bytes_of(words, all_scalars[:own_scalars]))
    entry["received"] = [x.hex() for x in bytes_of(*received)]
    entry["sums of tags"] = {"T": bytes_of([], all_scalars[-2:-1])[1].hex(),
                             "U": bytes_of([], all_scalars[-1:])[1].hex(),
                             "T / p, rounded down": all_scalars[-2] // P, "c": carry}
    entry["opened"] = opened
    entry["sha256"] = sha(*bytes_of(received[0], received[1][:own_scalars])) if opener else opened
    if not opener:
        chains["totals"] = chained(chains["totals"], entry["sha256"])
        if size:
            scales[size] = next_bits(double_of(all_scalars[own_scalars - 1]), bits, sites)
    chains["seen"] = chained(chains["seen"], entry["sha256"])
    decoded = [float_of(x, bits) for x in words]
    entry["decoded"] = {"words": sha(struct.pack("<700f", *decoded)) if size == 700 else decoded,
                        "scalars": [double_of(z) for z in all_scalars[:own_scalars]]}
    return dict(entry, **chains)


def sums_of(keys):
    scales, chains = {}, {"totals": keys.chain, "seen": keys.chain}
    sums = [one_sum(keys, case, k, scales, chains) for k, case in enumerate(CASES)]
    tags = [s["sums of tags"] for s in sums]
    assert any(t["T / p, rounded down"] for t in tags) and any(t["c"] for t in tags)
    return sums


# ---- all of them -------------------------------------------------------------------------------


def ledger():
    lines, last = [], "0" * 64
    for body in ('{"kind":"hello","bytes":7}', '{"received":"total","exchange":0}'):
        last = chained(last, body)
        lines.append(body[:-1] + ',"chain":"' + last + '"}')
    return lines


def all_vectors():
    out = {"about": ABOUT}
    out["transcript"] = (text("label/v1") + text("t") + number(7) + names(["y", "x"])).hex()
    fixed_point(out)
    keys = Keys(study_of(out))
    out["keys"] = keys.listed()
    out["signature"] = keys.signature()
    out["rejected"] = keys.rejected()
    out["sums"] = sums_of(keys)
    out["ledger"] = ledger()
    return out


def main():
    check_known_answers()
    made = json.dumps(all_vectors(), indent=1) + "\n"
    if len(sys.argv) == 1:
        # Innermost lists on one line each.
        print(re.sub(r"\[[^][{}]*\]", lambda m: re.sub(r"\s*\n\s*", " ", m[0]), made), end="")
    elif json.loads(open(sys.argv[2]).read()) != json.loads(made):
        sys.exit(f"{sys.argv[2]}: expected the vectors that {sys.argv[0]} computes, found others")


if __name__ == "__main__":
    main()
