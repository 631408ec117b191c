"""A peer that does everything wrong, one thing after another; prints what it was answered."""
import sys

import zmq

endpoint, header = sys.argv[1], sys.argv[2].encode()
context = zmq.Context()


def dealer():
    socket = context.socket(zmq.DEALER)
    socket.linger = 0
    socket.connect(endpoint)
    return socket


def code(socket, wait=30000):
    if not socket.poll(wait):
        return "silence"
    frames = socket.recv_multipart()
    return frames[-1].decode()


socket = dealer()
for name, frames in {
    "no delimiter": [b"junk"],
    "a thousand frames": [b"x"] * 1000,
}.items():
    socket.send_multipart(frames)
for name, frames in {
    "no JSON": [b"", b"junk", b"{}"],
    "no body": [b"", header],
    "unknown field": [b"", header[:-1] + b',"extra":1}', b"{}"],
    "not UTF-8": [b"", header[:-1] + b',"traceparent":"\xff"}', b"{}"],
    "too many frames": [b"", header, b"{}", b"{}"],
    "unknown operation": [b"", header.replace(b"test.echo", b"test.unknown"), b"{}"],
}.items():
    socket.send_multipart(frames)
    print(f"{name}\t{code(socket)}")

# 100 MB: the connection ends.
large = dealer()
large.send_multipart([b"", header, bytes(100 << 20)])
print(f"100 MB\t{code(large, 1000)}")

# Reads none of its replies.
silent = dealer()
silent.rcvhwm = 1
silent.setsockopt(zmq.SNDHWM, 0)
for _ in range(20000):
    silent.send_multipart([b"", header, b"{}"])
answer = "overloaded"
while "overloaded" in answer:
    socket.send_multipart([b"", header, b"{}"])
    answer = code(socket)
print(f"after all\t{answer}")
