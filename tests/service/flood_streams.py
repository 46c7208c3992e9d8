#!/usr/bin/env python3
"""Opens streams of a coordinator with a certificate of its authority, and takes no message from them.

usage: flood_streams.py PORT HOME NAME CONNECTIONS STREAMS

HOME has ca.crt, NAME.crt and NAME.key. Opens CONNECTIONS one after the other. On each, sends the first
frames of STREAMS streams at once, before it reads that one is allowed, with a window of 0 bytes for the
answers; answers pings. With 0 STREAMS it sends the headers of one that never end. Prints "opened" when the coordinator has answered or ended each connection, and
"ended" when it has ended any; keeps the others open until it is killed.
"""
import os
import signal
import socket
import struct
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../soak"))
from hostile import HEADERS, PING, PREFACE, SETTINGS, frame, literal, request, tls_context

ACK = 1
CONTINUATION = 9
NO_WINDOW = struct.pack(">HI", 4, 0)  # SETTINGS_INITIAL_WINDOW_SIZE


def read(tls, size):
    """Raises OSError when the other end has hung up."""
    got = b""
    while len(got) < size:
        more = tls.recv(size - len(got))
        if not more:
            raise ConnectionResetError
        got += more
    return got


def keep(tls, first, answered, ended):
    """Sends bytes, then reads frames, which a peer without window for messages gets all the same."""
    try:
        tls.sendall(first)
        while True:
            head = read(tls, 9)
            payload = read(tls, int.from_bytes(head[:3], "big"))
            if head[3] == HEADERS:
                answered.set()
            if head[3] == PING and not head[4] & ACK:
                tls.sendall(frame(PING, ACK, 0, payload))
    except OSError:
        answered.set()
        ended.set()


def send_headers(tls, answered, ended):
    headers = literal(b"x-nothing", b"y" * 100) * 140
    try:
        tls.sendall(PREFACE + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, 0, 1, headers))
        for _ in range(100_000):  # 1.6 GB
            tls.sendall(frame(CONTINUATION, 0, 1, headers))
    except OSError:
        ended.set()
    answered.set()


def main():
    port, home, name = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    connections, streams = int(sys.argv[4]), int(sys.argv[5])
    context = tls_context(os.path.join(home, "ca.crt"), os.path.join(home, name))
    first = request(streams, NO_WINDOW)
    ended = threading.Event()
    for _ in range(connections):
        tls = context.wrap_socket(socket.create_connection(("127.0.0.1", port)))
        answered = threading.Event()
        target, args = (keep, (tls, first)) if streams > 0 else (send_headers, (tls,))
        threading.Thread(target=target, args=(*args, answered, ended), daemon=True).start()
        answered.wait()
    print("opened", flush=True)
    ended.wait()
    print("ended", flush=True)
    signal.pause()


main()
