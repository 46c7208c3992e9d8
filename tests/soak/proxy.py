"""TCP proxies on this machine that behave like a bad network: they delay bytes, hold them back, or
lose them together with their connection. They never change them.

    network = Network()
    proxy = network.proxy()       # clients connect to 127.0.0.1:proxy.port
    proxy.forward_to(server_port)
    proxy.delay(0.05)             # seconds, one way

Functions may be called from any thread, and have taken effect when they return.
"""

import asyncio
import threading

PIECE = 1 << 18
HELD = 64  # pieces that a direction holds back before it reads no more


class Network:
    """The thread that moves the bytes of all proxies."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def proxy(self):
        return Proxy(self)

    def call(self, function):
        """Runs a function, or a coroutine function, in the thread, and returns its result."""

        async def run():
            result = function()
            return await result if asyncio.iscoroutine(result) else result

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result(30)

    def close(self):
        async def cancel():
            tasks = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        self.call(cancel)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Proxy:
    def __init__(self, network):
        self._network = network
        self._target = None
        self._delay = 0.0
        self._links = set()
        self._allowance = None  # bytes towards the server before the proxy stalls
        self._flowing = None
        self.port = network.call(self._listen)

    async def _listen(self):
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self._server.sockets[0].getsockname()[1]

    # --- what a test may ask for

    def forward_to(self, port):
        def change():
            self._target = port

        self._network.call(change)

    def delay(self, seconds):
        """Delays bytes that arrive from now on, in each direction. They keep their order."""

        def change():
            self._delay = seconds

        self._network.call(change)

    def stall(self):
        """Keeps connections open and accepts new ones, but passes nothing, not even their end."""
        self._network.call(self._flowing.clear)

    def stall_after(self, count):
        """Stalls after so many more bytes towards the server."""

        def change():
            self._allowance = count

        self._network.call(change)

    @property
    def stalled(self):
        return not self._flowing.is_set()

    def resume(self):
        """Passes what was held back, and everything after it."""

        def change():
            self._allowance = None
            self._flowing.set()

        self._network.call(change)

    def cut(self):
        """Closes all connections and drops the bytes held."""

        def change():
            for link in list(self._links):
                link.cancel()

        self._network.call(change)

    def close(self):
        self._network.call(self._server.close)
        self.cut()

    # --- in the thread of the network

    async def _accept(self, reader, writer):
        link = asyncio.current_task()
        self._links.add(link)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._links.discard(link)
            writer.transport.abort()

    async def _serve(self, reader, writer):
        if self._target is None:
            return
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._target)
        try:
            await asyncio.gather(
                self._flow(reader, up_writer, True), self._flow(up_reader, writer, False)
            )
        finally:
            up_writer.transport.abort()

    async def _flow(self, reader, writer, upwards):
        pieces = asyncio.Queue(HELD)
        await asyncio.gather(self._read(reader, pieces), self._write(pieces, writer, upwards))

    async def _read(self, reader, pieces):
        loop = asyncio.get_running_loop()
        while True:
            data = await reader.read(PIECE)
            await pieces.put((loop.time() + self._delay, data))
            if not data:
                return

    async def _write(self, pieces, writer, upwards):
        loop = asyncio.get_running_loop()
        while True:
            release, data = await pieces.get()
            await asyncio.sleep(max(0.0, release - loop.time()))
            await self._flowing.wait()
            if not data:
                if writer.can_write_eof():
                    writer.write_eof()
                return
            if upwards and self._allowance is not None:
                data = await self._spend(data, writer)
            writer.write(data)
            await writer.drain()

    async def _spend(self, data, writer):
        """Passes as many bytes as are allowed; returns the rest when the proxy flows again."""
        if len(data) < self._allowance:
            self._allowance -= len(data)
            return data
        now, later = data[: self._allowance], data[self._allowance :]
        self._allowance = None
        self._flowing.clear()
        writer.write(now)
        await writer.drain()
        await self._flowing.wait()
        return later
