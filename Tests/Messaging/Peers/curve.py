"""A TCP peer: with a secret key ('new' makes one, 'none' does without), sends one request and prints the reply's body, or, where the
header is 'subscribe', receives what is published and prints its header; or, after so many milliseconds, 'silence'."""
import sys

import zmq

endpoint, server_key, secret, header, milliseconds = sys.argv[1:6]
subscribes = header == "subscribe"
socket = zmq.Context().socket(zmq.SUB if subscribes else zmq.DEALER)
socket.linger = 0
if secret != "none":
    public, own = zmq.curve_keypair() if secret == "new" else (zmq.curve_public(secret.encode()), secret.encode())
    socket.curve_publickey, socket.curve_secretkey, socket.curve_serverkey = public, own, server_key.encode()
if subscribes:
    socket.subscribe(b"")
socket.connect(endpoint)
if not subscribes:
    socket.send_multipart([b"", header.encode(), b"{}"])
print(socket.recv_multipart()[1 if subscribes else -1].decode() if socket.poll(int(milliseconds)) else "silence")
