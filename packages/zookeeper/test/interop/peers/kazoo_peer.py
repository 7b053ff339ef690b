"""Locks of kazoo, driven over standard input and output, one line per command and answer; see ../support/peer.ts for what they are.

Arguments: connect string, session timeout in ms, further markers of contenders (comma separated). It ends with its standard input.
"""

import os
import sys
import threading

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout
from kazoo.recipe.lock import Lock
from kazoo.retry import ForceRetryError

address, timeout, markers = sys.argv[1:4]
extra_lock_patterns = [marker for marker in markers.split(",") if marker]
client = KazooClient(hosts=address, timeout=int(timeout) / 1000)
output = threading.Lock()
releases = {}


class CuratorLock(Lock):
    """Shares an InterProcessMutex: Curator orders all children by what follows the last "lock-" of their names."""

    _NODE_NAME = "-lock-"
    _EXCLUDE_NAMES = ["-lock-"]


class CuratorWriteLock(Lock):
    """Shares an InterProcessReadWriteLock."""

    _NODE_NAME = "-__WRIT__"
    _EXCLUDE_NAMES = ["__WRIT__", "__READ__"]


class CuratorReadLock(Lock):
    """Shares an InterProcessReadWriteLock; waits for writers before it only, not for all as kazoo's own (kazoo#649)."""

    _NODE_NAME = "-__READ__"

    def _get_predecessor(self, node):
        children = self.client.get_children(self.path)
        if node not in children:
            raise ForceRetryError("the node is gone")
        writers = [child for child in children if "__WRIT__" in child and child[-10:] < node[-10:]]
        return max(writers, key=lambda child: child[-10:], default=None)


curators = {"CuratorLock": CuratorLock, "CuratorReadLock": CuratorReadLock, "CuratorWriteLock": CuratorWriteLock}


def answer(line):
    with output:
        print(line, flush=True)


def lock_of(kind, path, permits):
    if kind == "Semaphore":
        return client.Semaphore(path, max_leases=permits)
    if kind in curators:
        return curators[kind](client, path)
    kinds = {"Lock": client.Lock, "ReadLock": client.ReadLock, "WriteLock": client.WriteLock}
    return kinds[kind](path, extra_lock_patterns=extra_lock_patterns)


def visit(path):
    """Adds one to the number in a node, without a check of its version; how many are inside with us."""
    own = client.create(path + "/inside-", ephemeral=True, sequence=True)
    most = inside(path)
    count = int(client.get(path)[0])
    client.set(path, str(count + 1).encode())
    client.delete(own)
    return most


def inside(path):
    return len(client.get_children(path))


def serve(number, command, kind, path, permits, *rest):
    try:
        lock = lock_of(kind, path, int(permits))
        if command == "acquire":
            try:
                acquired = lock.acquire(timeout=int(rest[0]) / 1000)
            except LockTimeout:
                acquired = False
            if not acquired:
                answer(number + " timeout")
                return
            answer(number + " acquired")
            releases[number].wait()
            lock.release()
            answer(number + " released")
        else:
            most = 0
            for _ in range(int(rest[1])):
                if not lock.acquire(timeout=60):
                    raise RuntimeError("not acquired within 60 s")
                most = max(most, visit(rest[0]) if command == "contend" else inside(rest[0]))
                lock.release()
            answer(number + " done " + str(most))
    except Exception as error:
        answer(number + " error " + repr(error).replace("\n", " "))


client.start(timeout=30)
answer("0 ready")
for line in sys.stdin:
    words = line.split()
    if words[1] == "release":
        releases[words[0]].set()
    else:
        releases[words[0]] = threading.Event()
        threading.Thread(target=serve, args=words, daemon=True).start()
client.stop()
sys.stdout.flush()
os._exit(0)
