"""Calls made up from /openapi.json: of every writing operation there is, so that a new one joins by itself.

What the document cannot say is which things exist. Answers are looked through for ids, and each goes into a pool by the name that paths
and bodies have for it. Where a body is only worth something if it fits the state (a step sample that overlaps no other, an activity whose
streak the model can count), `moves.py` makes it; everything else is made here.
"""

import base64
import datetime
import pathlib
import re
import struct
import zlib

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "Services"

# What a client cannot do without ending its own part in the run, and why.
LEFT_OUT = {
    "accounts.register": "done by each client when it joins",
    "accounts.delete": "ends the client; Tests/EndToEnd/AccountDeletionTests kills all services meanwhile",
    "accounts.changePassword": "the client could log in no more",
    "emailChanges.request": "answers are mails",
    "sessions.delete": "ends the client's own session",
    "sessions.closeOthers": "ends nothing that is there",
    "moderation.decideCase": "may ban a client",
    "partners.decide": "may suspend a partner for good",
    "broadcasts.send": "would be in every inbox; its own tests count recipients",
    "passwordRecoveries.request": "its token is in a mail",
    "movementSamples.record": "only as moves make it: overlapping samples of several sources have a test of their own",
}


def operation_services():
    """Which service serves an operation, and whether it writes: as the contracts say."""
    found = {}
    spec = re.compile(r'"([a-zA-Z]+\.[a-zA-Z]+)",\s*of:\s*\.([a-z]+)\b(.{0,400})', re.S)
    for path in sorted(SOURCES.glob("*/Contract/**/*.swift")):
        for name, service, rest in spec.findall(path.read_text()):
            effect = re.search(r"effect:\s*\.(\w+)", rest)
            found[name] = (service, effect is None or effect.group(1) != "read")
    return found


class Operation:
    def __init__(self, name, method, path, declared, document):
        self.name, self.method, self.path = name, method.upper(), path
        self.document = document
        self.caller = declared.get("x-caller", "anyone")
        parameters = [document.resolved(parameter) for parameter in declared.get("parameters", [])]
        self.takes_key = any(parameter["name"] == "Idempotency-Key" for parameter in parameters)
        self.path_names = re.findall(r"\{(\w+)\}", path)
        self.path_schemas = {p["name"]: p.get("schema", {}) for p in parameters if p.get("in") == "path"}
        content = declared.get("requestBody", {}).get("content", {})
        self.body = content.get("application/json", {}).get("schema")
        self.is_form = bool(content) and self.body is None
        self.writes = method != "get" and not self.is_form
        self.service = None


class Document:
    """/openapi.json: its operations by name."""

    def __init__(self, json):
        self.json = json
        self.operations = {}
        services = operation_services()
        for path, methods in json["paths"].items():
            for method, declared in methods.items():
                name = declared.get("operationId")
                if name is None:
                    continue
                operation = Operation(name, method, path, declared, self)
                operation.service, writes = services.get(name, ("gateway", False))
                operation.writes = operation.writes and writes
                self.operations[name] = operation
        self.names = {name for operation in self.operations.values() for name in operation.path_names}

    def resolved(self, schema):
        while "$ref" in schema:
            node = self.json
            for part in schema["$ref"].lstrip("#/").split("/"):
                node = node[part]
            schema = {**node, **{k: v for k, v in schema.items() if k != "$ref"}}
        return schema

    def writing(self):
        return [operation for operation in self.operations.values() if operation.writes]


def picture(chooser):
    """A small PNG in a colour of its own."""
    row = b"\0" + bytes(chooser.randrange(256) for _ in range(3)) * 4

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(row * 4)) + chunk(b"IEND", b""))


class Pools:
    """The ids that one client has seen, by the names that paths and bodies have for them."""

    SIZE = 40

    def __init__(self, document):
        self.document = document
        self.ids = {}

    def add(self, name, value):
        pool = self.ids.setdefault(name, [])
        if value in pool:
            return
        pool.append(value)
        if len(pool) > self.SIZE:
            del pool[0]

    def own_name(self, operation):
        """What paths call the things of an operation: `tasks.list` lists things that are named by `taskID`."""
        noun = {
            "messagePhotos.send": "messages", "taskSeries.create": "series", "challengeDefinitions.create": "challenges",
            "profiles.update": "accounts"}.get(operation, operation.split(".")[0])
        for ending, singular in (("ies", "y"), ("s", ""), ("", "")):
            if noun.endswith(ending):
                name = noun[: len(noun) - len(ending)] + singular
                for candidate in (name + "ID", noun + "ID"):
                    if candidate in self.document.names:
                        return candidate
        return noun + "ID"

    def harvest(self, operation, answer):
        own = self.own_name(operation)

        def look(value, depth):
            if isinstance(value, list):
                for part in value[:30]:
                    look(part, depth + 1)
            elif isinstance(value, dict):
                for key, part in value.items():
                    if isinstance(part, str):
                        if key == "id":
                            self.add(own, part)
                        elif key.endswith("ID") or key == "username":
                            self.add(key, part)
                    else:
                        look(part, depth + 1)

        look(answer, 0)

    def pick(self, name, chooser):
        pool = self.ids.get(name)
        return chooser.choice(pool) if pool else None


class Maker:
    """Makes bodies by schema."""

    WORDS = ("sunrise", "harbour", "river", "almond", "lantern", "meadow", "copper", "violin")

    def __init__(self, document, pools, chooser, now):
        self.document, self.pools, self.chooser, self.now = document, pools, chooser, now

    def path_value(self, name, schema):
        picked = self.pools.pick(name, self.chooser)
        if picked and self.chooser.random() < 0.97:
            return picked
        schema = self.document.resolved(schema)
        if name == "offset":
            return "0"
        if name == "day":
            return "today" if self.chooser.random() < 0.5 else self.day()
        return str(self.value(schema, name))

    def day(self):
        return (self.now().date() - datetime.timedelta(days=self.chooser.randrange(4))).isoformat()

    def value(self, schema, name="", depth=0):
        chooser, schema = self.chooser, self.document.resolved(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return chooser.choice(schema["enum"])
        for word in ("oneOf", "anyOf"):
            if word in schema:
                return self.value(chooser.choice(schema[word]), name, depth + 1)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next(k for k in kind if k != "null")
        if kind == "object" or "properties" in schema:
            required = schema.get("required", [])
            return {
                key: self.value(part, key, depth + 1)
                for key, part in schema.get("properties", {}).items()
                if key in required or chooser.random() < 0.4
            }
        if kind == "array":
            count = chooser.randrange(schema.get("minItems", 0), max(schema.get("minItems", 0), min(schema.get("maxItems", 3), 3)) + 1)
            singular = {"usernames": "username", "participants": "username", "placeIDs": "placeID"}.get(name, name)
            values = []
            for _ in range(count):
                value = self.value(schema["items"], singular, depth + 1)
                if value not in values:
                    values.append(value)
            return values
        if kind == "boolean":
            return chooser.random() < 0.7
        if kind == "integer":
            low = max(schema.get("minimum", 0), -1000)
            return chooser.randint(low, max(low, min(schema.get("maximum", 1000), low + 1000)))
        if kind == "number":
            low = max(schema.get("minimum", 0), -1000)
            return round(chooser.uniform(low, min(schema.get("maximum", 1000), low + 1000)), 2)
        return self.text(schema, name)

    def text(self, schema, name):
        chooser, form = self.chooser, schema.get("format")
        picked = self.pools.pick(name, chooser)
        if picked and (name.endswith("ID") or name in ("username", "token", "code")):
            return picked
        if form == "uuid":
            return "%08x-0000-7000-8000-%012x" % (chooser.getrandbits(32), chooser.getrandbits(48))
        if form == "date":
            return self.day()
        if form == "date-time":
            moment = self.now() + datetime.timedelta(seconds=chooser.randrange(-3600, 3600))
            return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        if form == "email":
            return f"{chooser.choice(self.WORDS)}@example.org"
        if schema.get("contentEncoding") == "base64":
            return base64.b64encode(picture(chooser)).decode()
        if "pattern" in schema and schema.get("examples"):
            return schema["examples"][-1]
        if name == "timeZone":
            return "UTC"
        text = " ".join(chooser.choice(self.WORDS) for _ in range(2)) + f" {chooser.randrange(1000)}"
        return text[: max(1, min(schema.get("maxLength", 40), 40))]
