"""A real SMTP server for the tests of mails: says on standard output, a JSON line each, that it is ready and what it took.

usage: smtp_server.py [--port N] [--login NAME:PASSWORD] [--certificate FILE --key FILE [--implicit]] [--refuse WORD:REPLY]...
"""

import argparse
import base64
import json
import socket
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


def say(**line):
    print(json.dumps(line), flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Handler:
    def __init__(self, refusals):
        self.refusals = refusals

    async def handle_RCPT(self, server, session, envelope, address, options):
        for word, reply in self.refusals:
            if word in address:
                return reply + " no"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        say(
            mail=base64.b64encode(envelope.original_content).decode(),
            sender=envelope.mail_from,
            recipients=envelope.rcpt_tos,
            encrypted=session.ssl is not None or server.transport.get_extra_info("sslcontext") is not None,
            login=bool(session.authenticated),
        )
        return "250 OK"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--login")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--implicit", action="store_true", help="TLS from the first byte on instead of STARTTLS")
    parser.add_argument("--refuse", action="append", default=[])
    options = parser.parse_args()

    def authenticate(server, session, envelope, mechanism, data):
        given = f"{data.login.decode()}:{data.password.decode()}"
        return AuthResult(success=given == options.login, handled=False)

    context = None
    if options.certificate:
        # The controller makes sure by a connection of its own that it runs, with the same context.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS)
        context.load_cert_chain(options.certificate, options.key)
    controller = Controller(
        Handler([refusal.split(":", 1) for refusal in options.refuse]),
        hostname="127.0.0.1",
        port=options.port or free_port(),
        tls_context=None if options.implicit else context,
        ssl_context=context if options.implicit else None,
        authenticator=authenticate if options.login else None,
        auth_required=bool(options.login),
        auth_require_tls=False,
        ready_timeout=20,
    )
    controller.start()
    say(port=controller.port)
    # Ends with its standard input, so that it never outlives the test.
    sys.stdin.read()
    controller.stop()


main()
