#!/usr/bin/env python3
"""Attacks a port of this machine with connections that never show a certificate.

usage: attack.py PORT IDLE HALF [SECONDS]

Opens IDLE connections that say nothing and HALF that send the first message of a TLS handshake, and
keeps them open. Replaces those that the server closes, at most 500 a second. Prints "opened" once all
have been opened, and "reopened N" at the end. Ends after SECONDS (default 120).
"""
import resource
import select
import socket
import ssl
import sys
import time


def client_hello():
    out = ssl.MemoryBIO()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    session = context.wrap_bio(ssl.MemoryBIO(), out, server_hostname="localhost")
    try:
        session.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


def main():
    port, idle, half = (int(word) for word in sys.argv[1:4])
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 120
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    hello = client_hello()
    end = time.monotonic() + seconds
    opened = {}
    poll = select.poll()

    def connect(first):
        one = socket.socket()
        one.settimeout(5)
        try:
            one.connect(("127.0.0.1", port))
            one.sendall(first)
        except OSError:
            one.close()
            return
        opened[one.fileno()] = (one, first)
        poll.register(one.fileno(), select.POLLHUP | select.POLLERR | select.POLLRDHUP)

    for k in range(max(idle, half)):
        if k < idle:
            connect(b"")
        if k < half:
            connect(hello)
    print("opened", flush=True)
    again = 0
    while time.monotonic() < end:
        closed = [number for number, _ in poll.poll(100)]
        for number in closed[:50]:
            one, first = opened.pop(number)
            poll.unregister(number)
            one.close()
            connect(first)
            again += 1
        time.sleep(0.1)
    print("reopened", again, flush=True)


main()
