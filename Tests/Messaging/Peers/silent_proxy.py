"""Passes connections on to another port. While a file exists it passes nothing, and connections of before stay silent for ever, as behind a
router that forgot them: nothing is refused, nothing is closed. Ends when its input does."""
import os
import socket
import sys
import threading
import time

listening, target, silence = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
server = socket.create_server(("127.0.0.1", listening))


def passes(source, sink, begun):
    while data := source.recv(65536):
        while os.path.exists(silence):
            time.sleep(0.01)
        if os.path.exists(silence + ".was") and begun < os.stat(silence + ".was").st_mtime:
            # Heard by nobody, and neither end is told.
            continue
        sink.sendall(data)


def accepts():
    while True:
        near, _ = server.accept()
        while os.path.exists(silence):
            time.sleep(0.01)
        far = socket.create_connection(("127.0.0.1", target))
        begun = time.time()
        for pair in ((near, far), (far, near)):
            threading.Thread(target=passes, args=(*pair, begun), daemon=True).start()


threading.Thread(target=accepts, daemon=True).start()
print("bound", flush=True)
sys.stdin.read()
