"""Clients that wish a coordinator ill: few of them, from this machine, for seconds."""

import os
import socket
import ssl
import struct
import time

# HTTP/2 (RFC 9113): frame types and flags.
DATA, HEADERS, SETTINGS, PING = 0, 1, 4, 6
END_HEADERS = 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
JOIN = b"/firm.v1.Federation/Join"


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name, value):
    """A header that HPACK neither compresses nor indexes."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def request(streams=1, settings=b""):
    """Opens streams of the service, as gRPC opens one."""
    headers = (
        literal(b":method", b"POST")
        + literal(b":scheme", b"https")
        + literal(b":path", JOIN)
        + literal(b":authority", b"localhost")
        + literal(b"te", b"trailers")
        + literal(b"content-type", b"application/grpc")
    )
    numbers = range(1, 2 * streams, 2)
    opening = b"".join(frame(HEADERS, END_HEADERS, number, headers) for number in numbers)
    return PREFACE + frame(SETTINGS, 0, 0, settings) + opening


def message(payload, size=None):
    """A gRPC message in a frame; `size` is what its prefix says."""
    prefix = b"\x00" + struct.pack(">I", len(payload) if size is None else size)
    return frame(DATA, 0, 1, prefix + payload)


def field(number, payload):
    """A field of a protobuf message that has a length."""
    return bytes([number << 3 | 2, len(payload)]) + payload


def malformed_messages(rng):
    """Messages that no site sends, each for a stream of its own."""
    noise = rng.randbytes(rng.randint(1, 200))
    hello = field(1, field(3, b"nobody"))  # without study, geometry, noise
    share = field(5, rng.randbytes(40))
    return [
        message(noise),  # bytes that are no message
        message(b""),  # an empty message
        message(hello),  # a Hello without a study
        message(share),  # a share before Hello
        message(b"x", 0xFFFFFFFF),  # a message of 4 GB, announced
        message(noise)[:-1],  # a frame that is cut
    ]


def tls_context(authority, certificate=None):
    """TLS as gRPC speaks it; `certificate` is the path of .crt and .key without these endings."""
    context = ssl.create_default_context(cafile=authority)
    context.check_hostname = False
    context.set_alpn_protocols(["h2"])
    if certificate is not None:
        context.load_cert_chain(certificate + ".crt", certificate + ".key")
    return context


def has_message(answer):
    """Whether an answer of a server has a frame with (a part of) a message."""
    while len(answer) >= 9:
        size = int.from_bytes(answer[:3], "big")
        if answer[3] == DATA and size > 0:
            return True
        answer = answer[9 + size :]
    return False


class Clients:
    """Opens connections to a coordinator, and keeps them until close()."""

    def __init__(self, port, enrolment):
        self._port = port
        self._enrolment = enrolment
        self._sockets = []
        self.opened = 0
        self.joins = 0  # with a certificate
        self.answered = 0  # of them

    def _connect(self):
        connection = socket.create_connection(("127.0.0.1", self._port), timeout=5)
        self._sockets.append(connection)
        self.opened += 1
        return connection

    def _context(self, name):
        authority = os.path.join(self._enrolment.coordinator, "ca.crt")
        return tls_context(authority, name and os.path.join(self._enrolment.of(name), name))

    def idle(self, count):
        for _ in range(count):
            self._connect()

    def garbage(self, rng):
        self._connect().sendall(rng.randbytes(1000))
        self._connect().sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")

    def half_open(self, rng):
        """A TLS record that begins as ClientHello and never ends."""
        self._connect().sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(32))

    def join(self, name, data=b"", until=b""):
        """A stream over TLS, with the certificate of `name`; None: without one. Returns the answer,
        up to the text `until`: empty if the coordinator has refused the connection."""
        context = self._context(name)
        connection = self._connect()
        answer = b""
        try:
            with context.wrap_socket(connection) as tls:
                tls.sendall(request() + data)
                end = time.monotonic() + 1
                while not answer or until not in answer:
                    tls.settimeout(max(0.01, end - time.monotonic()))
                    part = tls.recv(4096)
                    if not part:
                        break
                    answer += part
        except OSError:  # refused, which ssl.SSLError says too, or silent
            pass
        if name is not None:
            self.joins += 1
            self.answered += 1 if answer else 0
        return answer

    def close(self):
        for connection in self._sockets:
            connection.close()
        self._sockets.clear()
