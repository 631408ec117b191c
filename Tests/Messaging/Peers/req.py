"""A plain REQ socket: sends one request, prints the reply's two frames."""
import sys

import zmq

endpoint, header, body = sys.argv[1:4]
socket = zmq.Context().socket(zmq.REQ)
socket.linger = 0
socket.connect(endpoint)
socket.send_multipart([header.encode(), body.encode()])
if socket.poll(30000):
    for frame in socket.recv_multipart():
        print(frame.decode())
