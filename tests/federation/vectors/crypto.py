"""The standards that docs/protocol.md builds on, in plain Python: AES-256 (FIPS 197), CTR and GCM
(SP 800-38A and 38D), X25519 (RFC 7748), HKDF (RFC 5869), ECDSA on P-256 (FIPS 186-5).

For test vectors only: nothing here takes the same time for all secrets.
"""
import hashlib
import hmac
import struct

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


def gcm_tag(keys, nonce, sealed, associated):
    h = int.from_bytes(aes(keys, bytes(16)), "big")

    def multiply(x, y):
        z = 0
        for bit in range(127, -1, -1):
            if y >> bit & 1:
                z ^= x
            x = (x >> 1) ^ (0xE1 << 120 if x & 1 else 0)
        return z

    padded = b"".join(x + bytes(-len(x) % 16) for x in (associated, sealed))
    padded += struct.pack(">QQ", 8 * len(associated), 8 * len(sealed))
    s = 0
    for i in range(0, len(padded), 16):
        s = multiply(s ^ int.from_bytes(padded[i:i + 16], "big"), h)
    first = aes(keys, nonce + struct.pack(">I", 1))
    return bytes(a ^ b for a, b in zip(s.to_bytes(16, "big"), first))


def gcm(key, nonce, text, associated):
    """The sealed text and its tag."""
    stream = ctr(key, nonce + struct.pack(">I", 2), len(text))
    sealed = bytes(a ^ b for a, b in zip(text, stream))
    return sealed + gcm_tag(expand(key), nonce, sealed, associated)


def gcm_open(key, nonce, sealed, associated):
    """The text, or None if the tag is another."""
    sealed, tag = sealed[:-16], sealed[-16:]
    if gcm_tag(expand(key), nonce, sealed, associated) != tag:
        return None
    stream = ctr(key, nonce + struct.pack(">I", 2), len(sealed))
    return bytes(a ^ b for a, b in zip(sealed, stream))


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


# ---- ECDSA on P-256; a point is (x, y), infinity is None -----------------------------------------

FIELD = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
POINT = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
         0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def plus(a, b):
    if a is None or b is None:
        return b if a is None else a
    if a[0] == b[0] and (a[1] + b[1]) % FIELD == 0:
        return None
    if a == b:
        slope = 3 * (a[0]**2 - 1) * pow(2 * a[1], -1, FIELD)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, FIELD)
    x = (slope**2 - a[0] - b[0]) % FIELD
    return x, (slope * (a[0] - x) - a[1]) % FIELD


def times(k, point):
    total = None
    for bit in bin(k)[2:]:
        total = plus(total, total)
        if bit == "1":
            total = plus(total, point)
    return total


def hashed(message):
    return int.from_bytes(hashlib.sha256(message).digest(), "big")


def ecdsa_sign(private, message, k):
    """(r, s), with a number k that a real signer draws."""
    r = times(k, POINT)[0] % ORDER
    return r, pow(k, -1, ORDER) * (hashed(message) + r * private) % ORDER


def ecdsa_verify(public, message, signature):
    r, s = signature
    if not (0 < r < ORDER and 0 < s < ORDER):
        return False
    w = pow(s, -1, ORDER)
    found = plus(times(hashed(message) * w % ORDER, POINT), times(r * w % ORDER, public))
    return found is not None and found[0] % ORDER == r


def der(signature):
    out = b""
    for x in signature:
        data = x.to_bytes(x.bit_length() // 8 + 1, "big")
        out += bytes([2, len(data)]) + data
    return bytes([0x30, len(out)]) + out


# ---- known answers, so that a mistake here is not taken for one of the page ----------------------


def check_known_answers():
    text = bytes.fromhex("00112233445566778899aabbccddeeff")
    assert aes(expand(bytes(range(32))), text).hex() == "8ea2b7ca516745bfeafc49904b496089"
    assert x25519(bytes.fromhex("77076d0a7318a57d3c16c17251b26645"
                                "df4c2f87ebc0992ab177fba51db92c2a"), BASE).hex() == \
        "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    assert gcm(bytes(32), bytes(12), bytes(16), b"").hex() == \
        "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
    # RFC 6979, A.2.5: "sample" with SHA-256.
    private = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
    signature = ecdsa_sign(private, b"sample",
                           0xA6E3C57DD01ABE90086538398355DD4C3B17AA873382B0F24D6129493D8AAD60)
    assert signature == (0xEFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716,
                         0xF7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8)
    assert ecdsa_verify(times(private, POINT), b"sample", signature)
    assert not ecdsa_verify(times(private, POINT), b"other", signature)
