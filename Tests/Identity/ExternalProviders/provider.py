"""Strict OpenID Connect providers for the tests, that can be made to lie.

Enforces what a good provider does: registered client and redirect address, PKCE S256, state, nonce, codes for one use. For each line
`start` of its standard input there is one more, and standard output says where it listens; `end ADDRESS` ends that one, the end of the
input all of them. `POST /control` sets how one misbehaves. `GET /grants` lists the tokens that it has given,
`GET /revocations?count=N` those that it was asked to forget (RFC 7009), once there are N of them.

usage: provider.py
"""

import base64
import hmac
import json
import os
import sys
import threading
import time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jws
from joserfc.jwk import ECKey, RSAKey

CLIENT, SECRET, REDIRECT = "racha-tests", "client secret / + &", "https://app.example.org/done"


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def rsa_key(kid, bits=2048):
    return RSAKey.generate_key(bits, parameters={"kid": kid, "use": "sig", "alg": "RS256"})


# Of all providers: making a key takes longer than logging in.
KEYS = {"rsa-1": rsa_key("rsa-1"), "ec-1": ECKey.generate_key("P-256", parameters={"kid": "ec-1", "use": "sig"})}
STRANGER = rsa_key("rsa-1")


class Provider:
    def __init__(self, issuer):
        self.issuer = issuer
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.keys = dict(KEYS)
        self.codes = {}
        self.counts = {}
        self.last_token = None
        self.grants = []
        self.revocations = []
        self.revoked = threading.Condition()
        self.asked = threading.Condition(self.lock)
        self.reset()

    def reset(self):
        self.control = {"person": {"sub": "person-1", "email": "ana@example.com", "email_verified": True, "name": "Ana Ruiz"}}

    def metadata(self):
        document = {
            "issuer": self.issuer,
            "authorization_endpoint": self.issuer + "/authorize",
            "token_endpoint": self.issuer + "/token",
            "jwks_uri": self.issuer + "/jwks",
            "revocation_endpoint": self.issuer + "/revoke",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }
        document.update(self.control.get("metadata", {}))
        return document

    def authorize(self, query):
        """The address that the browser is sent to, or why it is sent nowhere."""
        if query.get("client_id") != CLIENT or query.get("redirect_uri") not in (REDIRECT, self.control.get("redirect")):
            return None, "unregistered"
        back = {"state": query.get("state", ""), "iss": self.issuer}
        error = self.control.get("authorize_error")
        if error:
            return {**back, "error": error}, None
        for name, rule in {
            "response_type": lambda v: v == "code",
            "scope": lambda v: "openid" in v.split(" "),
            "state": lambda v: len(v) >= 20,
            "nonce": lambda v: len(v) >= 20,
            "code_challenge": lambda v: len(v) == 43,
            "code_challenge_method": lambda v: v == "S256",
        }.items():
            if not rule(query.get(name, "")):
                return {**back, "error": "invalid_request"}, None
        code = b64(os.urandom(24))
        self.codes[code] = {**query, "person": dict(self.control["person"]), "at": time.time()}
        return {**back, "code": code}, None

    def authenticated(self, headers, form):
        kind, _, value = headers.get("Authorization", "").partition(" ")
        if kind == "Basic":
            name, _, secret = base64.b64decode(value).decode().partition(":")
            return (name, secret) == (quote(CLIENT, safe=""), quote(SECRET, safe=""))
        if self.control.get("public"):
            return (form.get("client_id"), form.get("client_secret")) == (CLIENT, None)
        return self.control.get("secret_in_form") and (form.get("client_id"), form.get("client_secret")) == (CLIENT, SECRET)

    def token(self, headers, form):
        if not self.authenticated(headers, form):
            return 401, {"error": "invalid_client"}
        grant = self.codes.pop(form.get("code", ""), None)
        if (
            form.get("grant_type") != "authorization_code"
            or grant is None
            or time.time() - grant["at"] > 60
            or form.get("redirect_uri") != grant["redirect_uri"]
            or create_s256_code_challenge(form.get("code_verifier", "")) != grant["code_challenge"]
        ):
            return 400, {"error": "invalid_grant"}
        answer = {"access_token": b64(os.urandom(16)), "token_type": "Bearer", "expires_in": 60}
        if self.control.get("refresh", True):
            answer["refresh_token"] = b64(os.urandom(16))
        self.grants.append({"person": grant["person"]["sub"], **answer})
        token = self.id_token(grant)
        if token is not None:
            answer["id_token"] = token
        return 200, answer

    def revoke(self, headers, form):
        if not self.authenticated(headers, form):
            return 401, {"error": "invalid_client"}
        error = self.control.get("revoke_error")
        if error:
            return 400, {"error": error}
        with self.revoked:
            proof = "header" if "Authorization" in headers else "form" if "client_secret" in form else "none"
            self.revocations.append({"token": form.get("token"), "hint": form.get("token_type_hint"), "proof": proof})
            self.revoked.notify_all()
        return 200, {}

    def counts_once(self, path):
        with self.asked:
            self.asked.wait_for(lambda: path is None or path in self.counts, timeout=50)
            return dict(self.counts)

    def revocations_once(self, count):
        with self.revoked:
            self.revoked.wait_for(lambda: len(self.revocations) >= count, timeout=50)
            return list(self.revocations)

    def id_token(self, grant):
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": grant["nonce"], **grant["person"]}
        shifts = self.control.get("times", {})
        claims.update({name: now + seconds for name, seconds in shifts.items()})
        claims.update(self.control.get("claims", {}))
        claims = {name: value for name, value in claims.items() if value is not None}
        header = {"alg": "RS256", "kid": "rsa-1", "typ": "JWT", **self.control.get("header", {})}
        header = {name: value for name, value in header.items() if value is not None}
        way = self.control.get("sign", "rightly")
        if way == "replayed":
            return self.last_token
        token = self.sign(way, header, json.dumps(claims).encode())
        if way == "rightly":
            self.last_token = token
        return token

    def sign(self, way, header, payload):
        rsa = self.keys["rsa-1"]
        head, body = b64(json.dumps(header).encode()), b64(payload)

        def by_hmac(secret):
            return f"{head}.{body}." + b64(hmac.new(secret, f"{head}.{body}".encode(), sha256).digest())

        def by(key, **other):
            protected = {**header, **other}
            registry = jws.JWSRegistry(algorithms=["RS256", "RS512", "PS256", "ES256"], strict_check_header=False)
            if isinstance(key, RSAKey):
                # Without the algorithm that it is for, which would be enforced.
                key = RSAKey.import_key({name: value for name, value in key.as_dict(private=True).items() if name != "alg"})
            return jws.serialize_compact(protected, payload, key, registry=registry)

        if way == "rightly":
            return by(self.keys[header["kid"]] if header.get("kid") in self.keys else rsa)
        if way == "absent":
            return None
        if way == "unsigned":
            return f"{head}.{body}."
        if way == "hmac by public key":
            return by_hmac(rsa.as_pem(private=False))
        if way == "hmac by modulus":
            return by_hmac(base64.urlsafe_b64decode(rsa.as_dict(private=False)["n"] + "=="))
        if way == "hmac by client secret":
            return by_hmac(SECRET.encode())
        if way == "by a stranger":
            return by(STRANGER)
        if way == "by a stranger, key enclosed":
            return by(STRANGER, jwk=STRANGER.as_dict(private=False))
        if way == "by the other key":
            return by(self.keys["ec-1"], alg="ES256")
        token = by(rsa)
        head, body, signature = token.split(".")
        return {
            "changed payload": f"{head}.{b64(payload.replace(b'person-1', b'person-2'))}.{signature}",
            "changed header": f"{b64(json.dumps({**header, 'x': 1}).encode())}.{body}.{signature}",
            "changed signature": f"{head}.{body}.{signature[:-8]}AAAAAAAA",
            "cut signature": f"{head}.{body}.{b64(base64.urlsafe_b64decode(signature + '==')[:-8])}",
            "empty signature": f"{head}.{body}.",
            "two parts": f"{head}.{body}",
            "five parts": f"{head}.{body}.{signature}.{body}.{signature}",
            "padded": f"{head}.{body}.{signature}==",
            "no token": "not a token",
            "too large": token + "A" * 20000,
            "twice the subject": self.sign("rightly", header, payload[:-1] + b', "sub": "person-2"}'),
            "not an object": self.sign("rightly", header, b'"person-1"'),
        }[way]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def provider(self):
        return self.server.provider

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def json(self, document, status=200):
        self.answer(status, json.dumps(document).encode(), Content_Type="application/json")

    def misbehaves(self, path):
        """What `control["trouble"][path]` asks for instead of an answer."""
        trouble = self.provider.control.get("trouble", {}).get(path)
        if trouble is None:
            return False
        if trouble == "hang":
            self.provider.stopped.wait(20)
        elif trouble == "drip":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            while not self.provider.stopped.wait(0.1):
                self.wfile.write(b" ")
                self.wfile.flush()
        elif trouble == "huge":
            self.answer(200, b'{"x":"' + b"A" * 2_000_000 + b'"}')
        elif trouble == "redirect":
            self.answer(302, Location=self.provider.issuer + "/elsewhere")
        elif trouble == "garbage":
            self.answer(200, b"<html>")
        elif trouble == "twice":
            self.answer(200, b'{"issuer":"https://evil.example","issuer":"%s"}' % self.provider.issuer.encode())
        else:
            self.answer(int(trouble), b"{}")
        return True

    def count(self, path):
        with self.provider.asked:
            self.provider.counts[path] = self.provider.counts.get(path, 0) + 1
            self.provider.asked.notify_all()

    def do_GET(self):
        url = urlsplit(self.path)
        self.count(url.path)
        if url.path == "/counts":
            return self.json(self.provider.counts_once(dict(parse_qsl(url.query)).get("of")))
        if url.path == "/grants":
            return self.json(self.provider.grants)
        if url.path == "/revocations":
            return self.json(self.provider.revocations_once(int(dict(parse_qsl(url.query)).get("count", 0))))
        if self.misbehaves(url.path):
            return None
        if url.path == "/.well-known/openid-configuration":
            return self.json(self.provider.metadata())
        if url.path == "/jwks":
            keys = [key.as_dict(private=False) for key in self.provider.keys.values()]
            return self.json({"keys": self.provider.control.get("keys", keys)})
        if url.path == "/authorize":
            back, problem = self.provider.authorize(dict(parse_qsl(url.query)))
            if problem:
                return self.answer(400, problem.encode())
            target = parse_qs(url.query)["redirect_uri"][0]
            return self.answer(302, Location=target + "?" + urlencode(back))
        return self.answer(404)

    def do_POST(self):
        url = urlsplit(self.path)
        self.count(url.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if url.path == "/control":
            self.provider.reset()
            self.provider.control.update(json.loads(body))
            return self.json({})
        if url.path == "/rotate":
            new = json.loads(body)["kid"]
            self.provider.keys[new] = rsa_key(new)
            return self.json({})
        if self.misbehaves(url.path):
            return None
        if url.path == "/token":
            with self.provider.lock:
                status, answer = self.provider.token(self.headers, dict(parse_qsl(body.decode())))
            return self.json(answer, status)
        if url.path == "/revoke":
            status, answer = self.provider.revoke(self.headers, dict(parse_qsl(body.decode())))
            return self.json(answer, status)
        return self.answer(404)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.provider = Provider(f"http://127.0.0.1:{self.server_port}")
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def end(self):
        self.provider.stopped.set()
        # Takes as long as the loop takes to look; nobody needs to wait for it.
        threading.Thread(target=self.shutdown, daemon=True).start()
        self.server_close()

    def handle_error(self, request, client_address):
        """A client that hangs up early is what some tests are about."""


servers = {}
for line in sys.stdin:
    command, _, address = line.strip().partition(" ")
    if command == "start":
        server = Server()
        servers[server.provider.issuer] = server
        print(f"listening on {server.provider.issuer}", flush=True)
    elif command == "end":
        servers.pop(address).end()
