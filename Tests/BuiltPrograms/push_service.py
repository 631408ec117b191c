"""A push service for the tests (RFC 8030), and the device behind it: says on standard output, a JSON line each, that it is ready with the
device's keys, and what it was given: whether the VAPID token is good (RFC 8292), and what the device reads of it (RFC 8291, by http-ece).

How it answers stands in the path: /push/201/name, /push/429,201/name?after=7 (the first time 429, then 201), /push/hang,201/name (the first
time never). A redirect leads to the same service.

usage: push_service.py [--port N] [--device PRIVATE-KEY:SECRET]
"""

import argparse
import base64
import http.server
import json
import sys
import threading
import time
import urllib.parse

import http_ece
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


lock = threading.Lock()


def say(**line):
    with lock:
        print(json.dumps(line), flush=True)


def token_faults(field, origin):
    """What is wrong with the Authorization field, and its claims and key."""
    scheme, _, rest = (field or "").partition(" ")
    parts = dict(part.strip().split("=", 1) for part in rest.split(",") if "=" in part)
    if scheme != "vapid" or set(parts) != {"t", "k"}:
        return ["scheme"], {}, ""
    head, claims, signature = parts["t"].split(".")
    faults = []
    if json.loads(decode(head)) != {"typ": "JWT", "alg": "ES256"}:
        faults.append("head")
    raw = decode(signature)
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(parts["k"]))
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    try:
        key.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        faults.append("signature")
    claims = json.loads(decode(claims))
    if len(raw) != 64:
        faults.append("signature's length")
    if claims.get("aud") != origin:
        faults.append("aud")
    if not time.time() < claims.get("exp", 0) <= time.time() + 86400:
        faults.append("exp")
    if not str(claims.get("sub", "")).startswith(("mailto:", "https:")):
        faults.append("sub")
    return faults, claims, parts["k"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--device")
    options = parser.parse_args()
    if options.device:
        private, secret = options.device.split(":")
        device = ec.derive_private_key(int.from_bytes(decode(private), "big"), ec.SECP256R1())
        secret = decode(secret)
    else:
        device, secret = ec.generate_private_key(ec.SECP256R1()), b"a secret of 16 b"
    counts = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments):
            pass

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            url = urllib.parse.urlsplit(self.path)
            with lock:
                number = counts[self.path] = counts.get(self.path, 0) + 1
            statuses = url.path.split("/")[2].split(",")
            status = statuses[min(number, len(statuses)) - 1]
            faults, claims, key = token_faults(self.headers["Authorization"], f"http://127.0.0.1:{self.server.server_port}")
            for name in ("TTL", "Urgency", "Topic"):
                if not self.headers[name]:
                    faults.append(name)
            if len(self.headers["Topic"] or "") > 32 or self.headers["Content-Encoding"] != "aes128gcm":
                faults.append("head of the request")
            try:
                text = http_ece.decrypt(body, private_key=device, auth_secret=secret, version="aes128gcm").decode()
            except http_ece.ECEException as error:
                text = ""
                faults.append(str(error))
            say(
                path=self.path,
                status=status,
                faults=faults,
                sub=claims.get("sub", ""),
                key=key,
                ttl=int(self.headers["TTL"] or -1),
                urgency=self.headers["Urgency"] or "",
                topic=self.headers["Topic"] or "",
                length=len(body),
                text=text,
            )
            if status == "hang":
                time.sleep(600)
                return
            self.send_response(int(status))
            after = urllib.parse.parse_qs(url.query).get("after")
            if after:
                self.send_header("Retry-After", after[0])
            if status.startswith("3"):
                self.send_header("Location", "/push/201/redirected")
            self.send_header("Content-Length", "0")
            self.end_headers()

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True

    server = Server(("127.0.0.1", options.port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    public = device.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    say(port=server.server_port, p256dh=encode(public), auth=encode(secret))
    # Ends with its standard input, so that it never outlives the test.
    sys.stdin.read()


main()
