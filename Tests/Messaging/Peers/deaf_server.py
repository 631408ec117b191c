"""Binds where a service would, lets callers connect, and never reads. Ends when its input does."""
import sys

import zmq

context = zmq.Context()
socket = context.socket(zmq.ROUTER)
socket.linger = 0
socket.rcvhwm = 1
socket.bind(sys.argv[1])
print("bound", flush=True)
sys.stdin.read()
