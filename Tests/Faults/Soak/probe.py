"""Says how the machine itself is: a lone `fdatasync` of 4 KiB ten times a second, on the disk of the folder that is its argument, and how late a
thread of its own is woken. It ends when its input does.

A line is `sync START SECONDS` or `wake START SECONDS`, by the monotonic clock; wakes are only told where they are late.
"""

import os
import pathlib
import signal
import sys
import threading
import time

SYNC_EVERY, WAKE_EVERY, LATE = 0.1, 0.02, 0.01


def tell(line):
    # In one piece: two threads write.
    os.write(1, (line + "\n").encode())


def wakes():
    while True:
        due = time.monotonic() + WAKE_EVERY
        time.sleep(WAKE_EVERY)
        late = time.monotonic() - due
        if late > LATE:
            tell(f"wake {due:.4f} {late:.4f}")


def syncs(path):
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    page = bytearray(4096)
    while True:
        time.sleep(SYNC_EVERY)
        page[0] = (page[0] + 1) % 256
        begun = time.monotonic()
        os.pwrite(file, page, 0)
        os.fdatasync(file)
        tell(f"sync {begun:.4f} {time.monotonic() - begun:.6f}")


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for target, arguments in ((wakes, ()), (syncs, (pathlib.Path(sys.argv[1]) / "probe",))):
        threading.Thread(target=target, args=arguments, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
