"""The clients: a process of one thread that calls at a given rate, whether or not answers come, and holds live streams open.

`load.py CONFIGURATION` writes lines of JSON to its output, and reads words from its input: `begin` (the administrator is one by now), `rate N`
(calls a second), `ramp N` (the same, and beyond what can be done services may say so) and `end`. It ends by itself when its input does.
"""

import asyncio
import collections
import json
import math
import pathlib
import random
import re
import signal
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "History")]

import clients  # noqa: E402
import people  # noqa: E402

# A gateway closes what has been idle for 60 s; what is older than this is opened anew before that can happen amid a call.
IDLE_SECONDS = 40
# So long an answer may take.
PATIENCE = 30
# Calls that take longer are told one by one.
SLOW_SECONDS = 0.05
# A client that runs so much later than it should is not what Racha is to be blamed for.
LATE_SECONDS = 0.01
# Of failures that are told with request and answer.
MAX_FAILURES = 10
# How much wider each class of a histogram of times is than the one before.
CLASS = math.log(1.03)


def tell(what):
    print(json.dumps(what, separators=(",", ":")), flush=True)


class Connection(asyncio.Protocol):
    """One connection over which one request at a time is sent; a minimal client of HTTP/1.1 that costs little."""

    def __init__(self, load):
        self.load = load
        self.transport = None
        self.buffer = b""
        self.answered = None
        self.used = 0.0
        self.is_open = False

    def connection_made(self, transport):
        self.transport, self.is_open = transport, True

    def connection_lost(self, error):
        self.is_open = False
        if self.answered:
            answered, self.answered = self.answered, None
            answered(None, f"the connection was cut: {error}".encode(), "")

    async def open(self):
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: self, "127.0.0.1", self.load.port)
        return self

    def send(self, method, path, token, body, key, answered):
        self.answered, self.used = answered, time.monotonic()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n"
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        if key:
            head += f"Idempotency-Key: {key}\r\n"
        if body is None:
            data = b"\r\n" if method == "GET" else b"Content-Length: 0\r\n\r\n"
        else:
            content = json.dumps(body).encode()
            data = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(content), content)
        self.transport.write(head.encode() + data)

    def data_received(self, data):
        self.buffer = self.buffer + data if self.buffer else data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self.buffer[:end].lower()
        status = int(head[9:12])
        place = head.find(b"\r\ncontent-length:")
        length = int(head[place + 17 :].split(b"\r\n", 1)[0]) if place >= 0 else 0
        if len(self.buffer) < end + 4 + length:
            return
        body, self.buffer = self.buffer[end + 4 : end + 4 + length], self.buffer[end + 4 + length :]
        if b"\r\nconnection: close" in head:
            self.is_open = False
            self.transport.close()
        answered, self.answered = self.answered, None
        if answered:
            answered(status, body, "json" if b"json" in head else "")


class Stream(asyncio.Protocol):
    """`/v1/live` of one account: numbers must rise, and after another connection go on where they were."""

    def __init__(self, load, account):
        self.load, self.account = load, account
        self.buffer, self.last, self.transport = b"", None, None
        self.messages = self.ends = 0
        self.is_open = self.is_ending = False

    async def open(self):
        try:
            await asyncio.get_running_loop().create_connection(lambda: self, "127.0.0.1", self.load.port)
        except OSError as error:
            self.load.fail("live", None, f"cannot connect: {error}", None, None)

    def connection_made(self, transport):
        self.buffer, self.transport, self.is_open = b"", transport, True
        resume = f"Last-Event-ID: {self.last}\r\n" if self.last is not None else ""
        transport.write(
            f"GET /v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.account.access}\r\n{resume}\r\n".encode())

    def data_received(self, data):
        self.buffer += data
        *events, self.buffer = self.buffer.split(b"\n\n")
        for event in events:
            if event.startswith(b"HTTP/1.1 "):
                head, _, event = event.partition(b"\r\n\r\n")
                if not head.startswith(b"HTTP/1.1 200"):
                    self.load.fail("live", None, "no stream", head.decode(errors="replace"), None)
                    continue
            fields = dict(line.partition(b": ")[::2] for line in event.split(b"\n"))
            self.take(fields.get(b"event"), fields.get(b"id"), fields.get(b"data"))

    def take(self, name, number, data):
        if name == b"end":
            reason = json.loads(data)["reason"]
            self.is_ending = True
            if reason != "token_expired" and not self.load.is_ending:
                self.load.fail("live", None, f"the stream ended: {reason}", None, None)
        elif name == b"ready":
            number = int(number)
            if b"reset" in data or self.last is not None and number != self.last:
                self.load.fail("live", None, f"began at {number}, expected {self.last}", data.decode(), None)
            self.last = number
        elif name == b"notification":
            number = int(number)
            if self.last is None or number <= self.last:
                self.load.fail("live", None, f"number {number} came after {self.last}", data.decode(), None)
            self.last = number
            self.messages += 1
        elif name:
            self.messages += 1

    def connection_lost(self, error):
        self.is_open = False
        if self.load.is_ending:
            return
        if not self.is_ending:
            self.load.fail("live", None, f"the stream was cut: {error}", None, None)
        self.is_ending = False
        self.ends += 1
        self.load.later(0.05, self.open)


class Mails:
    """The mails of the cluster, each read once."""

    def __init__(self, home):
        self.home, self.read, self.tokens = home, set(), {}

    async def token(self, email):
        end = time.monotonic() + 60
        while email not in self.tokens:
            if time.monotonic() > end:
                raise TimeoutError(f"no mail to {email}")
            for path in self.home.glob("mails/**/*.eml"):
                if path in self.read:
                    continue
                text = path.read_text(errors="replace").replace("=\r\n", "").replace("=\n", "")
                to, found = re.search(r"^To:.*?([\w.-]+@[\w.-]+)", text, re.M), re.search(r"[?#&]token=([A-Za-z0-9_.~=-]+)", text)
                self.read.add(path)
                if to and found:
                    self.tokens[to.group(1)] = found.group(1).removeprefix("3D")
            await asyncio.sleep(0.05)
        return self.tokens[email]


class Load:
    def __init__(self, configuration):
        self.configuration = configuration
        self.port, self.number = configuration["port"], configuration["number"]
        self.world = clients.World(configuration)
        self.world.replaced = 0
        self.chooser = random.Random(f"{configuration['seed']}/{self.number}")
        self.mails = Mails(self.world.home)
        self.document, self.accounts, self.streams, self.connections = None, [], [], {}
        self.idle, self.late, self.open_calls = collections.deque(), collections.deque(), {}
        self.rate, self.due, self.expected, self.is_ending = 0.0, 0.0, None, False
        self.failures, self.waiting, self.is_ramp = 0, set(), False
        self.writes, self.by_operation, self.calls = collections.Counter(), {}, 0
        self.clear()

    def clear(self):
        self.times = {"read": collections.Counter(), "write": collections.Counter()}
        self.slow, self.asked, self.done, self.refused, self.waited = [], 0, 0, 0, 0

    def later(self, seconds, what):
        """Does it later; the loop itself would forget a task that nobody holds."""
        async def wait():
            await asyncio.sleep(seconds)
            await what()

        task = asyncio.ensure_future(wait())
        self.waiting.add(task)
        task.add_done_callback(self.waiting.discard)

    def fail(self, operation, call, reason, answer, account):
        self.failures += 1
        if self.failures <= MAX_FAILURES:
            request = call and {
                "method": call.operation.method, "path": call.path, "body": call.body, "key": call.key, "by": account.name,
                "again": call.is_repeated}
            tell({"failure": {"operation": operation, "reason": reason, "request": request, "answer": str(answer)[:1200]}})

    # Joining

    async def ask(self, method, path, body=None, token=None, key=None):
        connection = await Connection(self).open()
        answer = asyncio.get_running_loop().create_future()
        connection.send(method, path, token, body, key, lambda status, body, kind: answer.set_result((status, body, kind)))
        status, body, kind = await asyncio.wait_for(answer, PATIENCE)
        connection.transport.close()
        return status, json.loads(body) if kind and body else None

    async def insist(self, wanted, method, path, body=None, token=None, key=None):
        """Asks until it is answered so: services learn of an account one after the other."""
        end = time.monotonic() + 60
        while True:
            status, answer = await self.ask(method, path, body, token, key)
            if status == wanted:
                return answer
            if time.monotonic() > end:
                raise RuntimeError(f"{method} {path} {body} was answered {status} {answer}")
            await asyncio.sleep(0.05)

    @staticmethod
    def email(account):
        # A stranger may change its username.
        return f"{account.name}@example.org"

    async def enrol(self, account):
        email = self.email(account)
        answer = await self.insist(201, "POST", "/v1/accounts", {
            "email": email, "username": account.name, "password": clients.PASSWORD, "passwordConfirmation": clients.PASSWORD,
            "timeZone": self.world.zone, "consents": {"activityData": True, "location": True}}, key=f"join-{account.name}")
        account.account_id = answer["id"]
        await self.insist(200, "POST", "/v1/accounts/verify", {"token": await self.mails.token(email)})
        await self.log_in(account)

    async def log_in(self, account):
        account.signed_in(await self.insist(200, "POST", "/v1/sessions", {"login": self.email(account), "password": clients.PASSWORD}))

    async def all_of(self, whats, at_once):
        gate = asyncio.Semaphore(at_once)

        async def one(what):
            async with gate:
                await what

        await asyncio.gather(*(one(what) for what in whats))

    async def join(self):
        self.document = people.read_document((await self.ask("GET", "/openapi.json"))[1])
        configuration, seed = self.configuration, self.configuration["seed"]
        # Where there are stores from before, they may have the names of another run.
        prefix = f"p{self.number}x{seed % 1_000_000}"
        self.keeper = people.Keeper(f"{prefix}keeper", seed, self.document, self.world)
        strangers = max(2, round(configuration["accounts"] * people.STRANGERS))
        self.strangers = [people.Stranger(f"{prefix}stranger{n}", seed, self.document, self.world) for n in range(strangers)]
        self.members = [
            people.Member(f"{prefix}member{n}", seed, self.document, self.world, self.keeper)
            for n in range(max(2, configuration["accounts"] - strangers - 1))]
        self.accounts = [self.keeper, *self.strangers, *self.members]
        # Passwords are hashed two at a time.
        await self.all_of((self.enrol(account) for account in self.accounts), 4)

    async def settle(self):
        """Circles of friends, activities and offers; then the streams."""
        self.keeper.refresh = None
        await self.log_in(self.keeper)
        offers = [
            await self.insist(201, "POST", "/v1/offers", self.world.offer(people.COST, 1_000_000_000), self.keeper.access)
            for _ in range(3)]
        circles = [people.Circle(self.world, offers) for _ in range(max(1, len(self.members) // people.CIRCLE))]
        for number, member in enumerate(self.members):
            member.join(circles[number % len(circles)])
        for stranger in self.strangers:
            for other in self.strangers:
                stranger.pools.add("username", other.name)
                stranger.pools.add("accountID", other.account_id)
        await self.all_of((self.befriend(circle) for circle in circles), 8)
        await self.all_of((self.furnish(member) for member in self.members), 8)
        for account in self.accounts:
            self.connections[account] = await Connection(self).open()
            self.idle.append(account)
        self.chooser.shuffle(self.idle)
        self.streams = [Stream(self, member) for member in self.members[: self.configuration["streams"]]]
        await self.all_of((stream.open() for stream in self.streams), 8)

    async def befriend(self, circle):
        members = list(circle.people.values())
        for number, one in enumerate(members):
            for other in members[number + 1 :]:
                request = await self.insist(201, "POST", "/v1/friend-requests", {"username": other.name}, one.access)
                await self.insist(200, "POST", f"/v1/friend-requests/{request['id']}/accept", None, other.access)

    async def furnish(self, member):
        while len(member.activities) < 3:
            made = member.moves.make("activities.create")
            member.activities.append(await self.insist(201, "POST", "/v1/activities", made[2], member.access))
        await self.insist(200, "PUT", "/v1/leaderboards/visibility", {"isVisible": True}, member.access)
        # Until the services that act on their events know the account.
        await self.insist(200, "GET", "/v1/coins/balance", None, member.access)
        await self.insist(200, "GET", "/v1/notifications/unread-count", None, member.access)

    # Calling

    def tick(self):
        """Makes the calls that are due. One that finds all accounts busy counts from when it was due."""
        now = time.monotonic()
        if self.expected and now - self.expected > LATE_SECONDS:
            tell({"wake": [round(self.expected, 4), round(now - self.expected, 4)]})
        if self.rate > 0:
            while self.due <= now:
                self.due += self.chooser.expovariate(self.rate)
                self.late.append(now)
                self.asked += 1
            while self.late and self.idle:
                self.start(self.idle.popleft(), self.late.popleft())
            self.waited = max(self.waited, len(self.late))
        if not self.is_ending:
            pause = min(0.05, max(0.001, self.due - now)) if self.rate else 0.05
            self.expected = time.monotonic() + pause
            asyncio.get_running_loop().call_later(pause, self.tick)

    def start(self, account, since):
        connection = self.connections[account]
        if not connection.is_open or time.monotonic() - connection.used > IDLE_SECONDS:
            if connection.is_open:
                connection.transport.close()
            self.later(0, lambda: self.start_anew(account, since))
        else:
            self.send(account, since)

    async def start_anew(self, account, since):
        try:
            self.connections[account] = await Connection(self).open()
        except OSError as error:
            self.fail("connect", None, str(error), None, account)
            return self.idle.append(account)
        self.send(account, max(since, time.monotonic()))

    def send(self, account, since):
        call = account.next()
        self.open_calls[account] = (call, since)
        self.connections[account].send(
            call.operation.method, call.path, account.access, call.body, call.key,
            lambda status, body, kind: self.answered(account, call, since, status, body, kind))

    def answered(self, account, call, since, status, body, kind):
        now = time.monotonic()
        operation = call.operation
        self.open_calls.pop(account, None)
        self.note(operation, since, now, status)
        if status is None:
            if not self.is_ending:
                self.fail(operation.name, call, body.decode(), None, account)
        elif self.is_ramp and status in (503, 504):
            self.refused += 1
            account.doubt()
        elif status == 401 and isinstance(account, people.Stranger):
            # It has ended its own session, as it may.
            return self.later(0, lambda: self.again(account))
        else:
            try:
                answer = json.loads(body) if kind and body else None
            except ValueError:
                answer = body.decode(errors="replace")
            wrong = account.answered(call, status, answer)
            if wrong:
                self.fail(operation.name, call, wrong, f"{status} {body.decode(errors='replace')}", account)
        self.ready(account)

    def ready(self, account):
        if self.late and not self.is_ending:
            self.start(account, self.late.popleft())
        else:
            self.idle.append(account)

    async def again(self, stranger):
        status, answer = await self.ask("POST", "/v1/sessions", {"login": self.email(stranger), "password": clients.PASSWORD})
        if status == 200:
            stranger.signed_in(answer)
            self.ready(stranger)
        else:
            # Whoever failed too often waits.
            self.later(30, lambda: self.again(stranger))

    def note(self, operation, since, now, status):
        seconds = now - since
        kind = "write" if operation.writes else "read"
        place = math.ceil(math.log(max(seconds, 1e-6) * 1000) / CLASS)
        self.times[kind][place] += 1
        self.by_operation.setdefault(operation.name, collections.Counter())[place] += 1
        self.done += 1
        self.calls += 1
        if operation.writes and status is not None and status < 300:
            self.writes[operation.service] += 1
        if seconds >= SLOW_SECONDS:
            self.slow.append([round(since, 4), round(now, 4), operation.name, operation.service, kind])

    async def watch(self):
        """Tells each second what it came to, and looks for calls that nobody answers."""
        while not self.is_ending:
            await asyncio.sleep(1)
            now = time.monotonic()
            for account, (call, since) in list(self.open_calls.items()):
                if now - since > PATIENCE:
                    self.fail(call.operation.name, call, f"no answer within {PATIENCE} s", None, account)
                    del self.open_calls[account]
                    self.connections[account].transport.abort()
            tell({"second": round(now, 3), "asked": self.asked, "done": self.done, "refused": self.refused, "late": self.waited,
                  "times": self.times, "slow": self.slow, "writes": self.writes})
            self.clear()

    async def end(self):
        """No more calls; answers that are under way are waited for."""
        self.rate = 0
        self.late.clear()
        until = time.monotonic() + PATIENCE
        while self.open_calls and time.monotonic() < until:
            await asyncio.sleep(0.02)
        for account, (call, _) in self.open_calls.items():
            self.fail(call.operation.name, call, "no answer at the end", None, account)
        await self.compare_streams()
        self.is_ending = True
        tell({"ended": True, "calls": self.calls, "failures": self.failures, "operations": self.by_operation, "writes": self.writes,
              "replaced": self.world.replaced, "streams": len(self.streams),
              "streams open": sum(stream.is_open for stream in self.streams), "messages": sum(s.messages for s in self.streams),
              "streams again": sum(stream.ends for stream in self.streams)})
        for stream in self.streams:
            if stream.is_open:
                stream.transport.close()

    async def compare_streams(self):
        """No stream lacks a notification that its account has."""
        for stream in self.streams:
            end, lacking = time.monotonic() + 20, None
            while lacking is None or lacking and time.monotonic() < end:
                if lacking:
                    await asyncio.sleep(0.1)
                status, answer = await self.ask(
                    "GET", f"/v1/notifications/since?after={stream.last or 0}&limit=1", token=stream.account.access)
                lacking = answer["items"] if status == 200 else [answer]
            if lacking:
                self.fail("live", None, f"the stream of {stream.account.name} has come to {stream.last}", lacking, None)

    # Words

    async def run(self):
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        await self.join()
        tell({"joined": len(self.accounts), "keeper": self.keeper.name})
        watching = None
        while line := (await reader.readline()).decode().split():
            if line[0] == "begin":
                await self.settle()
                tell({"ready": True})
                self.tick()
                watching = asyncio.ensure_future(self.watch())
            elif line[0] in ("rate", "ramp"):
                self.is_ramp = line[0] == "ramp"
                self.rate, self.due = float(line[1]), time.monotonic()
                self.late.clear()
            elif line[0] == "end":
                await self.end()
                break
        self.is_ending = True
        if watching:
            watching.cancel()


def main():
    # A terminal interrupts whoever belongs to it; these end when their input does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(Load(json.loads(pathlib.Path(sys.argv[1]).read_text())).run())


if __name__ == "__main__":
    main()
