"""Stands between the services of a bus over TCP, and lets nothing through in one direction or both when told to.

Started with lines of JSON on its input: first the routes, `[[name, port to listen at, port to pass on to], …]`, then commands:
`["stall", name, "to" | "from"]`, `["heal", name]` and `["cut", name]`, which closes the connections there are. A service's name stands for both
of its routes, that of requests and that of `NAME events`.
"""

import asyncio
import json
import sys


class Route:
    def __init__(self):
        self.gates = {"to": asyncio.Event(), "from": asyncio.Event()}
        for gate in self.gates.values():
            gate.set()
        self.writers = set()

    async def pump(self, reader, writer, direction):
        try:
            while data := await reader.read(65536):
                await self.gates[direction].wait()
                writer.write(data)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            self.writers.discard(writer)

    async def accept(self, near_reader, near_writer, port):
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            near_writer.close()
            return
        self.writers |= {near_writer, far_writer}
        await asyncio.gather(
            self.pump(near_reader, far_writer, "to"), self.pump(far_reader, near_writer, "from"))


async def main():
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    routes, servers = {}, []
    for name, listening, target in json.loads(await lines.readline()):
        route = routes.setdefault(name, Route())

        def accept(reader, writer, route=route, target=target):
            return asyncio.ensure_future(route.accept(reader, writer, target))

        servers.append(await asyncio.start_server(accept, "127.0.0.1", listening))
    print("bound", flush=True)
    while line := await lines.readline():
        word, name, *rest = json.loads(line)
        for route in (route for key, route in routes.items() if key in (name, f"{name} events")):
            if word == "stall":
                route.gates[rest[0]].clear()
            elif word == "heal":
                for gate in route.gates.values():
                    gate.set()
            elif word == "cut":
                for writer in list(route.writers):
                    writer.close()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
