"""The clients: threads of a process of their own that call, and record of each call its key, when it began and ended, and what came of it.

`clients.py CONFIGURATION` reads commands from its input: `pause`, `go`, `end`. A line of the history is a call:

    client, account, op, service, flow, path, query, body, key, trace     what was asked
    start, end                                                            nanoseconds of the machine's monotonic clock
    outcome     acknowledged (2xx), refused (4xx: it took no effect), unsent (no connection), or unknown (time-out, cut, 5xx)
    status, code, answer
    group       calls that are one: the same key, tried again or at once
    form        first, again, twice (the same key and body at once) or other (the same key, another body)
"""

import datetime
import http.client
import json
import pathlib
import random
import re
import sys
import threading
import time
import urllib.parse

import generator
import moves

PASSWORD = "Rio-7-lento"
# A client that waits longer does nothing else: what it asked for may have taken effect then, or may not.
PATIENCE = 4

# Where it is noon at each hour of UTC, all year round.
NOON = (
    "Pacific/Tarawa", "Pacific/Guadalcanal", "Pacific/Guam", "Asia/Tokyo", "Asia/Singapore", "Asia/Jakarta", "Asia/Dhaka", "Asia/Karachi",
    "Asia/Dubai", "Africa/Nairobi", "Africa/Maputo", "Africa/Lagos", "Africa/Abidjan", "Atlantic/Cape_Verde", "America/Noronha",
    "America/Cayenne", "America/Puerto_Rico", "America/Panama", "America/Costa_Rica", "America/Phoenix", "Pacific/Pitcairn",
    "Pacific/Gambier", "Pacific/Honolulu", "Pacific/Pago_Pago")

# A badge for a day of steps, which a correction takes back.
CHALLENGE = {
    "rule": {"metric": "steps", "window": "day"}, "threshold": 3000, "coins": 7, "icon": "footprints",
    "texts": {
        "en": {"title": "A long walk", "description": "Walk 3,000 steps in a day.", "badge": "Walker"},
        "es": {"title": "Un largo paseo", "description": "Camina 3.000 pasos en un día.", "badge": "Caminante"}}}


class World:
    """What all clients know: who takes part, which offers there are, and what was redeemed lately."""

    def __init__(self, configuration):
        # It is noon where everybody lives, so that no midnight falls into the run.
        moment = datetime.datetime.now(datetime.timezone.utc)
        self.zone_hours = 12 - moment.hour
        self.zone = NOON[moment.hour]
        self.today = (moment + datetime.timedelta(hours=self.zone_hours)).date()
        self.members, self.offers, self.redemptions = [], [], []
        self.home = pathlib.Path(configuration["home"])
        self.host, self.port = "127.0.0.1", configuration["port"]

    def offer(self, cost, stock):
        moment = datetime.datetime.now(datetime.timezone.utc)
        return {
            "title": "A coffee", "reward": "One coffee", "partnerName": "Café Elcano", "costCoins": cost, "stock": stock,
            "validFrom": (moment - datetime.timedelta(days=2)).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "validUntil": (moment + datetime.timedelta(days=30)).strftime("%Y-%m-%dT%H:%M:%S.000Z")}


class Recorder:
    def __init__(self, path):
        self.file = open(path, "a", buffering=1 << 16)
        self.lock = threading.Lock()

    def record(self, call):
        line = json.dumps(call, separators=(",", ":"))
        with self.lock:
            self.file.write(line + "\n")

    def flush(self):
        with self.lock:
            self.file.flush()


class Session:
    """One connection in one account's name."""

    def __init__(self, world, name):
        self.world, self.name = world, name
        self.connection = None
        self.access = self.refresh = None

    def send(self, method, path, body=None, key=None, trace=None, token=None):
        """Status and answer; raises OSError or HTTPException where none came. `sent` says whether the request may have got there."""
        self.sent = False
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.world.host, self.world.port, timeout=PATIENCE)
            self.connection.connect()
        headers = {"Accept": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if key:
            headers["Idempotency-Key"] = key
        if trace:
            headers["traceparent"] = f"00-{trace}-{trace[:15]}1-01"
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        try:
            self.sent = True
            self.connection.request(method, path, body=data, headers=headers)
            response = self.connection.getresponse()
            text = response.read()
            answer = json.loads(text) if text and "json" in response.headers.get("Content-Type", "") else None
            return response.status, answer
        except BaseException:
            self.drop()
            raise

    def drop(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def insist(self, method, path, body=None, key=None, token=None, until=time.monotonic() + 1e9):
        """Asks until there is an answer that is one: for joining and logging in, which are not what is tested."""
        while time.monotonic() < until:
            try:
                status, answer = self.send(method, path, body, key, None, token)
            except (OSError, http.client.HTTPException, ValueError):
                self.drop()
                time.sleep(0.1)
                continue
            if status < 500 and status != 429:
                return status, answer
            time.sleep(0.2)
        raise TimeoutError(path)

    def log_in(self):
        for _ in range(50):
            if self.refresh:
                status, answer = self.insist("POST", "/v1/sessions/refresh", {"refreshToken": self.refresh})
                if status == 200:
                    self.access, self.refresh = answer["accessToken"], answer["refreshToken"]
                    return
                self.refresh = None
            status, answer = self.insist("POST", "/v1/sessions", {"login": self.name, "password": PASSWORD})
            if status == 200:
                self.access, self.refresh = answer["accessToken"], answer["refreshToken"]
                return
            time.sleep(0.3)
        raise RuntimeError(f"{self.name} cannot log in: {status} {answer}")


class Client(threading.Thread):
    def __init__(self, name, seed, document, world, recorder, control, kind):
        super().__init__(daemon=True)
        self.name, self.kind = name, kind
        self.chooser = random.Random(f"{seed}/{name}")
        self.document, self.world, self.recorder, self.control = document, world, recorder, control
        self.session = Session(world, name)
        self.pools = generator.Pools(document)
        self.moves = moves.Moves(self, world)
        self.maker = generator.Maker(document, self.pools, self.chooser, lambda: datetime.datetime.now(datetime.timezone.utc))
        self.activities, self.newest, self.last_number = [], {}, None
        self.account_id = None
        self.calls = 0
        self.failure = None

    # Enrolling

    def enrol(self):
        email = f"{self.name}@example.org"
        status, answer = self.session.insist("POST", "/v1/accounts", {
            "email": email, "username": self.name, "password": PASSWORD, "passwordConfirmation": PASSWORD, "timeZone": self.world.zone,
            "consents": {"activityData": True, "location": True}}, key=f"join-{self.name}")
        assert status == 201, (status, answer)
        self.account_id = answer["id"]
        self.session.insist("POST", "/v1/accounts/verify", {"token": self.mailed_token(email)})
        self.session.log_in()
        return {"id": self.account_id, "username": self.name}

    def mailed_token(self, email):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for path in self.world.home.glob("mails/**/*"):
                if path.is_file():
                    text = path.read_text(errors="replace")
                    if f"To: {email}" in text or f"<{email}>" in text:
                        found = re.search(r"[?#&]token=([A-Za-z0-9_.~=-]+)", text.replace("=\r\n", "").replace("=\n", ""))
                        if found:
                            return found.group(1).removeprefix("3D")
            time.sleep(0.1)
        raise TimeoutError(f"no mail to {email}")

    # Calling

    def run(self):
        try:
            while not self.control.ended:
                self.control.going.wait()
                if self.control.ended:
                    return
                with self.control.working():
                    self.step()
                pause = self.control.pause
                if pause:
                    time.sleep(pause * self.chooser.random() * 2)
        except Exception as error:  # The run must not take a dead client for a quiet one.
            self.failure = f"{self.name}: {error!r}"
            import traceback
            traceback.print_exc()

    def choose(self):
        if self.kind == "any":
            operation = self.chooser.choice(self.control.any_operations)
            values = {name: self.maker.path_value(name, schema) for name, schema in (
                (name, operation.path_schemas.get(name, {"type": "string"})) for name in operation.path_names)}
            body = self.maker.value(operation.body) if operation.body is not None else None
            return operation, values, {}, body
        table = moves.ADMINISTRATOR if self.kind == "administrator" else moves.MOVES[self.chooser.choice(sorted(moves.MOVES))]
        name = self.chooser.choices(list(table), list(table.values()))[0]
        operation = self.document.operations[name]
        made = self.moves.make(name)
        return (operation, *made) if made else None

    def step(self):
        chosen = self.choose()
        if chosen is None:
            return
        operation, values, query, body = chosen
        has_key = operation.takes_key and self.chooser.random() < 0.7
        key = f"{self.name}-{self.calls}-{self.chooser.getrandbits(32):x}" if has_key else None
        self.calls += 1
        group = f"{self.name}/{self.calls}"
        sort = self.chooser.random()
        if key and sort < 0.08:
            return self.at_once(operation, values, query, body, key, group, other=False)
        if key and body and sort < 0.12:
            return self.at_once(operation, values, query, body, key, group, other=True)
        call = self.call(self.session, operation, values, query, body, key, group, "first")
        tries = 0
        while call["outcome"] in ("unknown", "unsent") and key and tries < 10 and self.chooser.random() < 0.85:
            if self.control.ended:
                break
            tries += 1
            time.sleep(0.05 + 0.1 * tries * self.chooser.random())
            call = self.call(self.session, operation, values, query, body, key, group, "again")
        if call["outcome"] == "acknowledged":
            self.learn(operation, values, call["answer"])
            if key and self.chooser.random() < 0.1:
                self.call(self.session, operation, values, query, body, key, group, "again")
        elif call["outcome"] != "refused":
            time.sleep(0.1)

    def at_once(self, operation, values, query, body, key, group, other):
        """The same key twice at the same time, with the same body or with another one."""
        second = Session(self.world, self.name)
        second.access, second.refresh = self.session.access, None
        changed = body
        if other:
            text = next((k for k, v in body.items() if isinstance(v, (str, int, float)) and not isinstance(v, bool)), None)
            if text is None or text.endswith("ID") or text == "username":
                return
            changed = dict(body)
            changed[text] = body[text] + ("x" if isinstance(body[text], str) else 1)
        form = "other" if other else "twice"
        thread = threading.Thread(
            target=self.call, args=(second, operation, values, query, changed, key, group, form), daemon=True)
        thread.start()
        call = self.call(self.session, operation, values, query, body, key, group, "first")
        thread.join()
        second.drop()
        if call["outcome"] == "acknowledged":
            self.learn(operation, values, call["answer"])

    def call(self, session, operation, values, query, body, key, group, form):
        path = operation.path
        for name in operation.path_names:
            path = path.replace("{" + name + "}", urllib.parse.quote(str(values.get(name, "x")), safe=""))
        if query:
            path += "?" + urllib.parse.urlencode(query)
        trace = f"{random.SystemRandom().getrandbits(124) + 1:032x}"
        call = {
            "client": self.name, "account": self.account_id, "op": operation.name, "service": operation.service,
            "flow": "any" if self.kind == "any" else moves.FLOW.get(operation.name, "any"), "writes": operation.writes,
            "path": values, "query": query, "body": body, "key": key, "trace": trace, "group": group, "form": form,
            "session": id(session) if session is not self.session else 0, "start": time.monotonic_ns()}
        status, answer = None, None
        try:
            status, answer = session.send(operation.method, path, body, key, trace, session.access)
            if status == 401 and session is self.session:
                call["end"] = time.monotonic_ns()
                self.recorder.record(call | {"outcome": "refused", "status": 401, "code": "401", "answer": None})
                session.log_in()
                call["trace"] = f"{random.SystemRandom().getrandbits(124) + 1:032x}"
                call["start"] = time.monotonic_ns()
                status, answer = session.send(operation.method, path, body, key, call["trace"], session.access)
        except (OSError, http.client.HTTPException, ValueError):
            pass
        call["end"] = time.monotonic_ns()
        if status is None:
            call["outcome"] = "unknown" if session.sent else "unsent"
        elif status < 300:
            call["outcome"] = "acknowledged"
        elif status < 500:
            call["outcome"] = "refused"
        else:
            call["outcome"] = "unknown"
        call["status"] = status
        call["code"] = answer.get("code") if isinstance(answer, dict) and status and status >= 400 else None
        call["answer"] = answer if status and status < 300 else None
        self.recorder.record(call)
        return call

    def learn(self, operation, values, answer):
        name = operation.name
        if not isinstance(answer, dict):
            return
        self.pools.harvest(name, answer)
        if name == "activities.create":
            self.activities.append(answer)
        elif name in ("friends.list",):
            self.pools.ids["friend"] = [item["accountID"] for item in answer["items"]]
        elif name == "friendRequests.accept":
            self.pools.add("friend", answer["accountID"])
        elif name == "offers.redeem":
            self.world.redemptions.append(answer["id"])
        elif name == "offers.create":
            self.world.offers.append(answer)
        elif name == "messages.list" and answer["items"]:
            self.newest[values["accountID"]] = answer["items"][0]["id"]
        elif name == "notifications.list" and answer["items"]:
            self.last_number = answer["items"][0]["number"]


class Reader:
    """Reads everything at the end, as each member sees it."""

    def __init__(self, client):
        self.client, self.session, self.world = client, Session(client.world, client.name), client.world
        self.session.log_in()

    def get(self, path, missing=False):
        status, answer = self.session.insist("GET", path, token=self.session.access)
        if status == 404 and missing:
            return None
        if status != 200:
            raise RuntimeError(f"{path} was answered with {status} {answer}")
        return answer

    def all(self, path):
        items, cursor = [], None
        while True:
            page = self.get(path + ("&" if "?" in path else "?") + "limit=100" + (f"&cursor={cursor}" if cursor else ""))
            items += page["items"]
            cursor = page.get("nextCursor")
            if not cursor:
                return items

    def read(self):
        days = [(self.world.today - datetime.timedelta(days=back)).isoformat() for back in range(7)]
        activities = {
            item["activity"]["id"]: item["activity"] for item in self.all("/v1/activities")}
        messages = {}
        for member in self.world.members:
            if member["id"] == self.client.account_id:
                continue
            path = f"/v1/conversations/{member['id']}/messages"
            first = self.get(path + "?limit=100", missing=True)
            if first is not None:
                messages[member["id"]] = first | {"items": self.all(path)}
        return {
            "coins.getBalance": self.get("/v1/coins/balance"),
            "coins.listTransfers": self.all("/v1/coins/transfers"),
            "redemptions.list": self.all("/v1/redemptions"),
            "movementDays.list": self.get(f"/v1/movement-days?from={days[-1]}&to={days[0]}")["items"],
            "leaderboards.list": self.get("/v1/leaderboards?metric=steps&period=allTime"),
            "badges.list": self.get("/v1/badges")["items"],
            "activities": activities,
            "entries": {
                activity: {day: self.get(f"/v1/activities/{activity}/entries/{day}", missing=True) for day in days}
                for activity in activities},
            "friends.list": self.all("/v1/friends"),
            "blocks.list": self.all("/v1/blocks"),
            "messages": messages,
            "tasks": [item for state in ("open", "completed", "cancelled") for item in self.all(f"/v1/tasks?state={state}")],
            "teams.getMine": self.get("/v1/teams/mine"),
            "notifications.list": self.all("/v1/notifications"),
            "notifications.countUnread": self.get("/v1/notifications/unread-count"),
        }


def read_all(members, world, stocks):
    reads = {member.account_id: Reader(member).read() for member in members}
    blocks = {account: {item["accountID"] for item in read["blocks.list"]} for account, read in reads.items()}
    apart = {
        account: sorted(blocks[account] | {other for other in blocks if account in blocks[other]}) for account in reads}
    reader = Reader(members[0])
    connection = http.client.HTTPConnection(world.host, world.port, timeout=PATIENCE)
    connection.request("GET", "/register/checkpoint")
    response = connection.getresponse()
    checkpoint = response.read().decode() if response.status == 200 else None
    return {
        "members": reads, "apart": apart, "offers": reader.all("/v1/offers"), "stocks": stocks, "threshold": CHALLENGE["threshold"],
        "checkpoint": checkpoint,
        "today": world.today.isoformat(), "zoneHours": world.zone_hours}


class Control:
    """Whether the clients go on. `pause` returns once none is amid a call."""

    def __init__(self):
        self.going, self.ended, self.pause = threading.Event(), False, 0.0
        self.count, self.changed = 0, threading.Condition()
        self.any_operations = []

    def working(self):
        control = self

        class Working:
            def __enter__(self):
                with control.changed:
                    control.count += 1

            def __exit__(self, *_):
                with control.changed:
                    control.count -= 1
                    control.changed.notify_all()

        return Working()

    def wait_until_quiet(self):
        with self.changed:
            self.changed.wait_for(lambda: self.count == 0, timeout=120)


def main():
    configuration = json.loads(pathlib.Path(sys.argv[1]).read_text())
    world, control = World(configuration), Control()
    control.pause = configuration["pause"]
    recorder = Recorder(configuration["history"])
    session = Session(world, "")
    document = generator.Document(session.insist("GET", "/openapi.json")[1])
    control.any_operations = [
        operation for operation in document.writing()
        if operation.name not in generator.LEFT_OUT and operation.caller != "administrator"]

    def client(name, kind):
        return Client(name, configuration["seed"], document, world, recorder, control, kind)

    administrator = client("keeper", "administrator")
    members = [client(f"member{number}", "moves") for number in range(configuration["members"])]
    strangers = [client(f"stranger{number}", "any") for number in range(configuration["strangers"])]
    everybody = [administrator, *members, *strangers]

    threads, joined = [], {}
    for one in everybody:
        thread = threading.Thread(target=lambda one=one: joined.__setitem__(one.name, one.enrol()))
        thread.start()
        threads.append(thread)
        if len(threads) % 4 == 0:
            thread.join()
    for thread in threads:
        thread.join()
    world.members = [joined[one.name] for one in members]
    print(json.dumps({"joined": joined}), flush=True)

    # The administrator is one by now.
    assert sys.stdin.readline().strip() == "begin"
    administrator.session.refresh = None
    administrator.session.log_in()
    stocks = {}
    for cost, stock in ((5, 1000), (10, 40), (20, 1000)):
        call = administrator.call(
            administrator.session, document.operations["offers.create"], {}, {}, world.offer(cost, stock), f"offer-{cost}",
            f"offer-{cost}", "first")
        assert call["outcome"] == "acknowledged", call
        world.offers.append(call["answer"])
        stocks[call["answer"]["id"]] = stock
    call = administrator.call(
        administrator.session, document.operations["challengeDefinitions.create"], {}, {}, CHALLENGE, "challenge", "challenge",
        "first")
    assert call["outcome"] == "acknowledged", call
    for member in members:
        member.session.insist("PUT", "/v1/leaderboards/visibility", {"isVisible": True}, token=member.session.access)
    for one in everybody:
        for stranger in strangers:
            if one.kind == "any":
                one.pools.add("username", stranger.name)
                one.pools.add("accountID", joined[stranger.name]["id"])
        one.start()
    for line in sys.stdin:
        word = line.strip()
        if word == "go":
            control.going.set()
        elif word == "pause":
            control.going.clear()
            control.wait_until_quiet()
        elif word == "end":
            control.ended = True
            control.going.set()
            for one in everybody:
                one.join(timeout=120)
        elif word == "read":
            reads = read_all(members, world, stocks)
            pathlib.Path(configuration["reads"]).write_text(json.dumps(reads))
        recorder.flush()
        failures = [one.failure for one in everybody if one.failure]
        print(json.dumps({
            "done": word, "calls": sum(one.calls for one in everybody), "failures": failures,
            "operations": len(control.any_operations)}), flush=True)
        if word == "read":
            return


if __name__ == "__main__":
    main()
