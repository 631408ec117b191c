"""A caller that names its requests as ours do and asks on and on, whatever the answer is. Ends when its input does, or the service."""
import select
import struct
import sys

import zmq

endpoint, header = sys.argv[1:3]
socket = zmq.Context().socket(zmq.DEALER)
socket.linger = 0
socket.connect(endpoint)
tag = 1
while True:
    socket.send_multipart([struct.pack("<Q", tag), b"", header.encode(), b"{}"])
    tag += 1
    if not socket.poll(5000):
        break
    socket.recv_multipart()
    if tag == 3:
        print("served", flush=True)
    if select.select([sys.stdin], [], [], 0.001)[0]:
        break
