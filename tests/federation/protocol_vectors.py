#!/usr/bin/env python3
"""The derivations of docs/protocol.md, written from that page with the standard library alone.

usage: protocol_vectors.py            print the test vectors
       protocol_vectors.py --check F  compare them with the file F (protocol_vectors.json)

tests/federation/protocol_vectors_test.cc compares the same file with what firm computes.
"""
import hashlib
import hmac
import json
import math
import struct
import sys
from fractions import Fraction

# ---- AES-256 (FIPS 197), CTR and GCM (SP 800-38A, 38D), X25519 (RFC 7748), HKDF (RFC 5869) ------


def _sbox():
    box, p, q = [0] * 256, 1, 1
    while True:
        p ^= (p << 1) ^ (0x11B if p & 0x80 else 0)
        p &= 0xFF
        for shift in (1, 2, 4):
            q ^= q << shift
        q &= 0xFF
        q ^= 0x09 if q & 0x80 else 0
        x = q
        for shift in (1, 2, 3, 4):
            x ^= ((q << shift) | (q >> (8 - shift))) & 0xFF
        box[p] = x ^ 0x63
        if p == 1:
            break
    box[0] = 0x63
    return box


SBOX = _sbox()


def double(x):
    return ((x << 1) ^ (0x1B if x & 0x80 else 0)) & 0xFF


def expand(key):
    words, rcon = [list(key[4 * i:4 * i + 4]) for i in range(8)], 1
    for i in range(8, 60):
        word = list(words[i - 1])
        if i % 8 == 0:
            word = [SBOX[b] for b in word[1:] + word[:1]]
            word[0] ^= rcon
            rcon = double(rcon)
        elif i % 8 == 4:
            word = [SBOX[b] for b in word]
        words.append([a ^ b for a, b in zip(words[i - 8], word)])
    return [sum(words[4 * r:4 * r + 4], []) for r in range(15)]


def aes(keys, block):
    state = [a ^ b for a, b in zip(block, keys[0])]
    for r in range(1, 15):
        state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if r < 14:
            mixed = []
            for c in range(0, 16, 4):
                a = state[c:c + 4]
                every = a[0] ^ a[1] ^ a[2] ^ a[3]
                mixed += [a[i] ^ every ^ double(a[i] ^ a[(i + 1) % 4]) for i in range(4)]
            state = mixed
        state = [a ^ b for a, b in zip(state, keys[r])]
    return bytes(state)


def ctr(key, iv, count):
    keys, at = expand(key), int.from_bytes(iv, "big")
    out = b""
    while len(out) < count:
        out += aes(keys, at.to_bytes(16, "big"))
        at = (at + 1) % 2**128
    return out[:count]


def gcm(key, nonce, text, associated):
    keys = expand(key)
    h = int.from_bytes(aes(keys, bytes(16)), "big")

    def multiply(x, y):
        z = 0
        for bit in range(127, -1, -1):
            if y >> bit & 1:
                z ^= x
            x = (x >> 1) ^ (0xE1 << 120 if x & 1 else 0)
        return z

    stream = ctr(key, nonce + struct.pack(">I", 2), len(text))
    sealed = bytes(a ^ b for a, b in zip(text, stream))
    padded = b"".join(x + bytes(-len(x) % 16) for x in (associated, sealed))
    padded += struct.pack(">QQ", 8 * len(associated), 8 * len(sealed))
    s = 0
    for i in range(0, len(padded), 16):
        s = multiply(s ^ int.from_bytes(padded[i:i + 16], "big"), h)
    first = aes(keys, nonce + struct.pack(">I", 1))
    return sealed + bytes(a ^ b for a, b in zip(s.to_bytes(16, "big"), first))


def x25519(private, public):
    p = 2**255 - 19
    k = bytearray(private)
    k[0] &= 248
    k[31] = k[31] & 127 | 64
    k, u = int.from_bytes(k, "little"), int.from_bytes(public, "little") % 2**255
    x2, z2, x3, z3, swap = 1, 0, u, 1, 0
    for t in range(254, -1, -1):
        bit = k >> t & 1
        if swap != bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb = d * a, c * b
        x3, z3 = (da + cb)**2 % p, u * (da - cb)**2 % p
        e = a * a - b * b
        x2, z2 = a * a * b * b % p, e * (a * a + 121665 * e) % p
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, p - 2, p) % p).to_bytes(32, "little")


BASE = (9).to_bytes(32, "little")


def hkdf(key, info, count):
    prk = hmac.new(bytes(32), key, hashlib.sha256).digest()
    out = block = b""
    n = 1
    while len(out) < count:
        block = hmac.new(prk, block + info + bytes([n]), hashlib.sha256).digest()
        out, n = out + block, n + 1
    return out[:count]


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()


# ---- docs/protocol.md, "Transcripts" ------------------------------------------------------------


def number(n):
    return struct.pack("<Q", n % 2**64)


def text(t):
    data = t.encode() if isinstance(t, str) else t
    return number(len(data)) + data


def names(ns):
    return number(len(ns)) + b"".join(text(n) for n in sorted(ns))


def derive(secret, transcript, count=32):
    return hkdf(secret, sha(transcript).encode(), count)


# ---- "Fixed point" -----------------------------------------------------------------------------


def rounded(x):
    """To the nearest integer, ties to even."""
    return round(Fraction(x))


def word(x, bits):
    return rounded(Fraction(x) * Fraction(2)**bits) % 2**32


def scalar(x):
    return rounded(Fraction(x) * 2**160) % 2**256


def signed(x, bits):
    return x - 2**bits if x >= 2**(bits - 1) else x


LARGEST_FLOAT = 2.0**128 - 2.0**104


def fraction_bits(exponent, sites):
    largest = min(2.0**(exponent + 3), LARGEST_FLOAT) * sites
    return max(-120, min(149, 30 - math.frexp(largest)[1]))


# ---- "Study and attempt" -----------------------------------------------------------------------


def digits(x):
    shortest = repr(x)
    return shortest[:-2] if shortest.endswith(".0") else shortest


def study_hash(terms, members):
    out = text("firm/v1/study") + number(len(terms))
    for field, value in terms:
        out += text(field) + text(value)
    out += number(len(members))
    for m in members:
        out += text(m["site"])
        for key in ("angles", "shifts"):
            out += text("".join(digits(x) + " " for x in m[key]))
        out += text(f"{m['beamlets']} {digits(m['spacing'])} {digits(m['rotation_axis'])}")
        out += text(f"{digits(m['sigma'])} {'true' if m['weighted'] else 'false'}")
    return sha(out)


# ---- "Keys" ------------------------------------------------------------------------------------


class Attempt:
    def __init__(self, study, roster, run_id):
        self.study, self.roster, self.run_id = study, sorted(roster), run_id

    def offer(self, name, key):
        return (text("firm/v1/offer") + text(name) + text(self.study) + names(self.roster) +
                text(self.run_id) + text(key))

    def pair(self, raw, low, high, keys):
        return derive(raw, text("firm/v1/pair") + text(self.study) + names(self.roster) +
                      text(self.run_id) + text(low) + text(keys[low]) + text(high) +
                      text(keys[high]))

    def sealed(self, pair, first, peer, nonce, group, chain):
        context = (text("firm/v1/group-key") + text(self.study) + names(self.roster) +
                   text(self.run_id) + text(first) + text(peer))
        return nonce + gcm(derive(pair, context), nonce, group + chain.encode(), context)


# ---- "Streams", "Masks", "Tags" ----------------------------------------------------------------

PAIR, GROUP, ALONE = 1, 2, 3
VECTOR, SCALARS, TAG = 1, 2, 3
P, Q = 2**63 - 25, 2**256 + 297


class Sum:
    """One try of one sum."""

    def __init__(self, attempt, position, words, scalars, bits):
        self.attempt, self.position, self.bits = attempt, position, bits
        self.words, self.scalars = words, scalars

    def stream(self, secret, scope, holders, kind, length, count):
        p = self.position
        context = (text("firm/v1/mask") + text(self.attempt.study) + names(self.attempt.roster) +
                   number(scope) + names(holders) + number(p["exchange"]) +
                   number(p["attempt"] << 32 | p["try"]) + text(p["previous"]) +
                   text(p["opener"]) + number(kind) + number(length) + number(self.bits))
        made = derive(secret, context, 48)
        return ctr(made[:32], made[32:], count)

    def tags(self, group, words, scalars):
        n, blocks = len(words), -(-len(words) // 512)
        raw = self.stream(group, GROUP, self.attempt.roster, TAG, n,
                          32 * len(scalars) + 16 * min(n, 512) + 16 * blocks)
        r = [int.from_bytes(raw[32 * k:32 * k + 32], "little") for k in range(len(scalars))]
        rest = raw[32 * len(scalars):]
        ab = [int.from_bytes(rest[16 * k:16 * k + 16], "little") % P
              for k in range(len(rest) // 16)]
        b, a = ab[:min(n, 512)], ab[min(n, 512):]
        t = sum(a[k // 512] * b[k % 512] * signed(x, 32) for k, x in enumerate(words)) % P
        u = sum(r[k] * signed(z, 256) for k, z in enumerate(scalars)) % Q
        return [t, u % 2**256]

    def masked(self, name, pairs, group, words, scalars):
        """The words and scalars that a site sends, scalars with its tags."""
        scalars = scalars + self.tags(group, words, scalars)
        streams = [(secret, PAIR, [name, peer], 1 if name < peer else -1)
                   for peer, secret in sorted(pairs.items())]
        if name == self.attempt.roster[0]:
            streams.append((group, GROUP, self.attempt.roster, 1))
        for secret, scope, holders, sign in streams:
            noise = self.stream(secret, scope, holders, VECTOR, len(words), 4 * len(words))
            for k in range(len(words)):
                noise_k = int.from_bytes(noise[4 * k:4 * k + 4], "little")
                words = words[:k] + [(words[k] + sign * noise_k) % 2**32] + words[k + 1:]
            noise = self.stream(secret, scope, holders, SCALARS, len(scalars), 32 * len(scalars))
            for k in range(len(scalars)):
                noise_k = int.from_bytes(noise[32 * k:32 * k + 32], "little")
                scalars = scalars[:k] + [(scalars[k] + sign * noise_k) % 2**256] + scalars[k + 1:]
        return words, scalars


def bytes_of(words, scalars):
    return (b"".join(w.to_bytes(4, "little") for w in words),
            b"".join(z.to_bytes(32, "little") for z in scalars))


# ---- the vectors -------------------------------------------------------------------------------

ROSTER = ["b", "a", "c"]
VALUES = {"a": [1.5, -2.25, 0.1, 0.0], "b": [-0.5, 7.0, 1e-3, -3.0], "c": [100.0, 0.3, -0.7, 2.5]}
NUMBERS = {"a": [1.0, 0.125], "b": [1.0, -1e20], "c": [1.0, 1e-30]}
# A second sum has 700 words, in two blocks of tags: word k of site i = 0, 1, 2.
LONG = {n: [((k * (3 + i)) % 1000 - 500) / 64 for k in range(700)] for i, n in enumerate("abc")}
RULE = "value k of 700 at site i, from 0: (k (3 + i) modulo 1000 - 500) / 64"


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def secret_of(label):
    return hashlib.sha256(label.encode()).digest()


def vectors():
    out = {"about": "Test vectors of docs/protocol.md; bytes are hexadecimal."}
    out["transcript"] = (text("label/v1") + text("t") + number(7) + names(["y", "x"])).hex()
    out["words"] = [{"value": single(x), "fraction_bits": f, "word": word(single(x), f)}
                    for x, f in [(1.5, 4), (-1.5, 4), (0.03125, 4), (0.09375, 4), (-0.0, 10),
                                 (3e5, -3), (1e-40, 149), (-7.7, 20)]]
    out["scalars"] = [{"value": x, "word": scalar(x).to_bytes(32, "little").hex()}
                      for x in [1.0, -1.0, 0.1, -1e20, 1e-30, 3e-49, 2.0**-161, 0.0]]
    out["scales"] = [{"exponent": e, "sites": n, "fraction_bits": fraction_bits(e, n)}
                     for e in (-100, -3, 0, 5, 64, 128) for n in (2, 3, 4, 30)]

    terms = [["study", "paper"], ["image rows", "250"], ["option stop.kkt", "1e-05"]]
    members = [{"site": "a", "angles": [0.0, 0.1, 1e-5, math.pi], "shifts": [], "beamlets": 250,
                "spacing": 1.0, "rotation_axis": -0.25, "sigma": 1e16, "weighted": False},
               {"site": "b", "angles": [1.5], "shifts": [1 / 3], "beamlets": 7, "spacing": 1e-4,
                "rotation_axis": 0.0, "sigma": 0.01, "weighted": True}]
    study = study_hash(terms, members)
    out["study"] = {"terms": terms, "members": members, "sha256": study}
    attempt = Attempt(study, ROSTER, "3f2a91c07d5e6b84/1/0")
    private = {name: secret_of("private " + name) for name in ROSTER}
    public = {name: x25519(private[name], BASE) for name in ROSTER}
    pair = {}
    for low, high in [("a", "b"), ("a", "c"), ("b", "c")]:
        pair[low, high] = attempt.pair(x25519(private[low], public[high]), low, high, public)
    group, chain = secret_of("group"), sha(b"sums before")
    out["keys"] = {
        "study": study, "roster": ROSTER, "run_id": attempt.run_id,
        "private": {n: k.hex() for n, k in private.items()},
        "public": {n: k.hex() for n, k in public.items()},
        "offer": {n: attempt.offer(n, public[n]).hex() for n in ROSTER},
        "pair": {low + high: s.hex() for (low, high), s in pair.items()},
        "group": group.hex(), "chain": chain,
        "sealed": {peer: attempt.sealed(pair["a", peer], "a", peer, secret_of("nonce")[:12], group,
                                        chain).hex() for peer in ("b", "c")}}

    out["sums"] = []
    for values in (VALUES, LONG):
        position = {"attempt": 1, "exchange": 6 + len(out["sums"]), "try": 0, "previous": chain,
                    "opener": ""}
        bits = 20
        size = len(values["a"])
        this = Sum(attempt, position, size, 2, bits)
        shares = {n: ([word(single(x), bits) for x in values[n]], [scalar(x) for x in NUMBERS[n]])
                  for n in ROSTER}
        entry = {"position": position, "fraction_bits": bits,
                 "values": {n: [single(x) for x in values[n]] for n in ROSTER}
                           if values is VALUES else RULE,
                 "scalars": NUMBERS, "tags": {}, "sent": {}, "commitments": {}}
        for n in ROSTER:
            with_peers = {q: pair[min(n, q), max(n, q)] for q in ROSTER if q != n}
            sent = bytes_of(*this.masked(n, with_peers, group, *shares[n]))
            entry["tags"][n] = bytes_of([], this.tags(group, *shares[n]))[1].hex()
            # Long ones by their hash.
            entry["sent"][n] = [x.hex() if len(x) <= 256 else sha(x) for x in sent]
            salt = secret_of("salt " + n)
            header = (text("firm/v1/commitment") + text(salt) + text("3f2a91c07d5e6b84") + text(n) +
                      number(1) + number(position["exchange"]) + number(0) + number(bits) +
                      number(size) + number(2))
            entry["commitments"][n] = sha(header, *bytes_of(*shares[n]))
        total = ([sum(shares[n][0][k] for n in ROSTER) % 2**32 for k in range(size)],
                 [sum(shares[n][1][k] for n in ROSTER) % 2**256 for k in range(2)])
        entry["sha256"] = sha(*bytes_of(*total))
        entry["chain"] = sha(chain.encode(), entry["sha256"].encode())
        out["sums"].append(entry)

    lines, last = [], "0" * 64
    for body in ('{"kind":"hello","bytes":7}', '{"received":"total","exchange":0}'):
        last = sha(last.encode(), body.encode())
        lines.append(body[:-1] + ',"chain":"' + last + '"}')
    out["ledger"] = lines
    return out


def main():
    made = json.dumps(vectors(), indent=1) + "\n"
    if len(sys.argv) == 1:
        print(made, end="")
    elif json.loads(open(sys.argv[2]).read()) != json.loads(made):
        sys.exit(sys.argv[2] + ": expected the vectors that " + sys.argv[0] + " computes, found others")


if __name__ == "__main__":
    # Known answers of FIPS 197, RFC 7748 and SP 800-38D, so that a mistake here is not taken for one
    # of the page.
    assert aes(expand(bytes(range(32))), bytes.fromhex("00112233445566778899aabbccddeeff")).hex() == \
        "8ea2b7ca516745bfeafc49904b496089"
    assert x25519(bytes.fromhex("77076d0a7318a57d3c16c17251b26645"
                                "df4c2f87ebc0992ab177fba51db92c2a"), BASE).hex() == \
        "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    assert gcm(bytes(32), bytes(12), bytes(16), b"").hex() == \
        "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
    main()
