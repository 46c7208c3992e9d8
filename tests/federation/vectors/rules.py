"""The rules of docs/protocol.md, each under the heading of its section, written from that page."""
import base64
import hashlib
import math
import struct
from fractions import Fraction

from vectors.crypto import ctr, gcm, gcm_open, hkdf


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()


# ---- "Transcripts" -----------------------------------------------------------------------------


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

LARGEST_FLOAT = 2.0**128 - 2.0**104
LEAST_EXPONENT, MOST_BOUND_EXPONENT = -100, 64
FINER_BITS = 8


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def rounded(x):
    """To the nearest integer, ties to even."""
    return round(Fraction(x))


def word(x, bits):
    return rounded(Fraction(x) * Fraction(2)**bits) % 2**32


def scalar(x):
    return rounded(Fraction(x) * 2**160) % 2**256


def signed(x, bits):
    return x - 2**bits if x >= 2**(bits - 1) else x


def float_of(x, bits):
    """Of a word; a double holds the number, so that it is rounded once."""
    return single(math.ldexp(signed(x, 32), -bits))


def double_of(z):
    return float(Fraction(signed(z, 256), 2**160))


def word_fits(x, bits, sites):
    size = abs(Fraction(x)) * Fraction(2)**bits
    return size * sites < 2**31 and rounded(size) * sites < 2**31


def exponent_of(values):
    largest = max(map(abs, values), default=0)
    return max(LEAST_EXPONENT, math.frexp(largest)[1]) if largest else LEAST_EXPONENT


def fraction_bits(exponent, sites):
    largest = min(2.0**(exponent + 3), LARGEST_FLOAT) * sites
    return max(-120, min(149, 30 - math.frexp(largest)[1]))


def bound_of(values):
    return 2.0**min(exponent_of(values), MOST_BOUND_EXPONENT)


def next_bits(bound, bits, sites):
    """The scale from the next sum on, B being the bound."""
    finer = fraction_bits(math.frexp(bound)[1], sites)  # floor(log2 B) + 1
    return finer if finer >= bits + FINER_BITS else bits


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
    def __init__(self, study, roster, run, attempt, begin):
        self.study, self.roster, self.run, self.attempt = study, sorted(roster), run, attempt
        self.run_id = f"{run}/{attempt}/{begin}"

    def offer(self, name, key):
        return (text("firm/v1/offer") + text(name) + text(self.study) + names(self.roster) +
                text(self.run_id) + text(key))

    def pair(self, raw, low, high, keys):
        if raw == bytes(32):
            return None
        return derive(raw, text("firm/v1/pair") + text(self.study) + names(self.roster) +
                      text(self.run_id) + text(low) + text(keys[low]) + text(high) +
                      text(keys[high]))

    def group_key_context(self, peer):
        return (text("firm/v1/group-key") + text(self.study) + names(self.roster) +
                text(self.run_id) + text(self.roster[0]) + text(peer))

    def sealed(self, pair, peer, nonce, group, chain):
        c = self.group_key_context(peer)
        return nonce + gcm(derive(pair, c), nonce, group + chain.encode(), c)

    def opened(self, pair, peer, sealed):
        """Group key and chain; None if the seal is another."""
        c = self.group_key_context(peer)
        return gcm_open(derive(pair, c), sealed[:12], sealed[12:], c)


P256_KEY = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")


def public_key_info(certificate):
    """DER SubjectPublicKeyInfo of a certificate (PEM) with a P-256 key."""
    data = base64.b64decode("".join(certificate.split("\n")[1:-2]))
    at = data.index(P256_KEY)
    return data[at:at + len(P256_KEY) + 65]


# ---- "Streams", "Masks", "Tags" ----------------------------------------------------------------

PAIR, GROUP, ALONE = 1, 2, 3
VECTOR, SCALARS, TAG = 1, 2, 3
P, Q = 2**63 - 25, 2**256 + 297


class Sum:
    """One try of one sum."""

    def __init__(self, attempt, position, bits):
        self.attempt, self.position, self.bits = attempt, position, bits

    def stream(self, secret, scope, holders, kind, length, count):
        p = self.position
        context = (text("firm/v1/mask") + text(self.attempt.study) + names(self.attempt.roster) +
                   number(scope) + names(holders) + number(p["exchange"]) +
                   number(p["attempt"] << 32 | p["try"]) + text(p["previous"]) +
                   text(p["opener"]) + number(kind) + number(length) + number(self.bits))
        made = derive(secret, context, 48)
        return ctr(made[:32], made[32:], count)

    def secrets(self, group, words, scalars):
        """r, b and a, for this many words and scalars."""
        head, blocks = min(words, 512), -(-words // 512)
        raw = self.stream(group, GROUP, self.attempt.roster, TAG, words,
                          32 * scalars + 16 * (head + blocks))
        r = numbers_of(raw[:32 * scalars], 32)
        ab = [x % P for x in numbers_of(raw[32 * scalars:], 16)]
        return r, ab[:head], ab[head:]

    def hashes(self, group, words, scalars):
        """The sums modulo p and modulo q."""
        r, b, a = self.secrets(group, len(words), len(scalars))
        return (sum(a[k // 512] * b[k % 512] * signed(x, 32) for k, x in enumerate(words)) % P,
                sum(r[k] * signed(z, 256) for k, z in enumerate(scalars)) % Q)

    def tags(self, group, words, scalars):
        t, u = self.hashes(group, words, scalars)
        return [t, u % 2**256]

    def carry(self, group, words, scalars, tags):
        """c if these are the sums over the sites, given the sums of their tags; else None."""
        t, u = self.hashes(group, words, scalars)
        sites = len(self.attempt.roster)
        if tags[0] >= sites * P or tags[0] % P != t:
            return None
        return next((c for c in range(sites + 1) if (tags[1] + c * 2**256) % Q == u), None)

    def noise(self, secret, scope, holders, words, scalars):
        return (numbers_of(self.stream(secret, scope, holders, VECTOR, words, 4 * words), 4),
                numbers_of(self.stream(secret, scope, holders, SCALARS, scalars, 32 * scalars), 32))

    def masked(self, name, pairs, pad, words, scalars):
        """What a site sends. `pad` is its secret for the pad: the group key, or its own."""
        streams = [(secret, PAIR, [name, peer], 1 if name < peer else -1)
                   for peer, secret in pairs.items()]
        if name == (self.position["opener"] or self.attempt.roster[0]):
            streams.append((pad, *self.pad_holders(), 1))
        for secret, scope, holders, sign in streams:
            noise = self.noise(secret, scope, holders, len(words), len(scalars))
            words = [(x + sign * y) % 2**32 for x, y in zip(words, noise[0])]
            scalars = [(x + sign * y) % 2**256 for x, y in zip(scalars, noise[1])]
        return words, scalars

    def unmasked(self, pad, words, scalars):
        noise = self.noise(pad, *self.pad_holders(), len(words), len(scalars))
        return ([(x - y) % 2**32 for x, y in zip(words, noise[0])],
                [(x - y) % 2**256 for x, y in zip(scalars, noise[1])])

    def pad_holders(self):
        opener = self.position["opener"]
        return (ALONE, [opener]) if opener else (GROUP, self.attempt.roster)

    # "Ledger and commitments"
    def commitment(self, salt, name, words, scalars):
        p = self.position
        return sha(text("firm/v1/commitment") + text(salt) + text(self.attempt.run) + text(name) +
                   number(p["attempt"]) + number(p["exchange"]) + number(p["try"]) +
                   number(self.bits) + number(len(words)) + number(len(scalars)),
                   *bytes_of(words, scalars))


def numbers_of(data, size):
    return [int.from_bytes(data[k:k + size], "little") for k in range(0, len(data), size)]


def bytes_of(words, scalars):
    return (b"".join(w.to_bytes(4, "little") for w in words),
            b"".join(z.to_bytes(32, "little") for z in scalars))


def added(shares):
    """The sums of the words and scalars of several shares."""
    return ([sum(column) % 2**32 for column in zip(*(words for words, _ in shares))],
            [sum(column) % 2**256 for column in zip(*(scalars for _, scalars in shares))])


# ---- "Chains" ----------------------------------------------------------------------------------


def chained(chain, data):
    return sha(chain.encode(), data.encode() if isinstance(data, str) else data)
