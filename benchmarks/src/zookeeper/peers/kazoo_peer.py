"""Kazoo's Lock under measurement: one client, so one session, whatever the number of threads.

Driven over standard input and output, a line per command and a line of JSON per answer; see ../peer.ts for what they are. Arguments: connect
string, session timeout in ms. Ends with its standard input.
"""

import json
import os
import sys
import threading
import time

from kazoo.client import KazooClient

client = KazooClient(hosts=sys.argv[1], timeout=int(sys.argv[2]) / 1000)
locks = {}
claims = []
answering = threading.Lock()
counting = threading.Lock()
grants = 0
failures = 0
first_failure = None


def now():
    """Ms on the clock that all processes of a machine share."""
    return time.monotonic_ns() / 1e6


def answer(value):
    with answering:
        sys.stdout.write(json.dumps(value, separators=(",", ":")) + "\n")
        sys.stdout.flush()


def failed(error):
    global failures, first_failure
    with counting:
        failures += 1
        first_failure = first_failure or repr(error)


def failures_so_far():
    return {"failures": failures} if first_failure is None else {"failures": failures, "firstFailure": first_failure}


def pairs(prefix, count, ms):
    """Each thread acquires and releases a lock of its own for so many ms."""
    global failures, first_failure
    failures, first_failure = 0, None
    acquires, latencies = [], []

    def work(lock):
        last = now()
        while last < start + ms:
            try:
                lock.acquire()
                acquired = now()
                lock.release()
            except Exception as error:
                failed(error)
                last = now()
                continue
            after = now()
            # Both at once, so that they stay pairs.
            with counting:
                acquires.append(round(acquired - last, 4))
                latencies.append(round(after - last, 4))
            last = after

    for worker in range(count):
        path = f"{prefix}/{worker}"
        if path not in locks:
            locks[path] = client.Lock(path)
    threads = [threading.Thread(target=work, args=(locks[f"{prefix}/{worker}"],)) for worker in range(count)]
    cpu = time.process_time()
    start = now()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = now() - start
    used = (time.process_time() - cpu) * 1e6
    answer({"took": took, "cpuMicroseconds": used, "acquires": acquires, "latencies": latencies, **failures_so_far()})


def contend(path, count, first_worker, turns, hold):
    """So many threads want one lock, each so often (0: without end), and hold it for so many ms."""
    remaining = [count]

    def work(worker):
        global grants
        lock = client.Lock(path)
        turn = 0
        while turns == 0 or turn < turns:
            claim = [worker, now(), -1, -1]
            with counting:
                claims.append(claim)
            try:
                lock.acquire()
                claim[2] = now()
                with counting:
                    grants += 1
                turn += 1
                if hold > 0:
                    time.sleep(hold / 1000)
                claim[3] = now()
                lock.release()
            except Exception as error:
                failed(error)
                if claim[2] < 0:
                    with counting:
                        claims.remove(claim)
        with counting:
            remaining[0] -= 1
            last = remaining[0] == 0
        if last:
            answer({"done": True})

    for index in range(count):
        threading.Thread(target=work, args=(first_worker + index,), daemon=True).start()


def report():
    with counting:
        flat = [round(value, 4) for claim in claims for value in claim]
    answer({"claims": flat, **failures_so_far()})


client.start(timeout=30)
answer({"ready": True})
for line in sys.stdin:
    words = line.split()
    if words[0] == "pairs":
        pairs(words[1], int(words[2]), float(words[3]))
    elif words[0] == "contend":
        contend(words[1], int(words[2]), int(words[3]), int(words[4]), float(words[5]))
    elif words[0] == "measure":
        with counting:
            grants, failures = 0, 0
    elif words[0] == "grants":
        answer({"grants": grants})
    elif words[0] == "report":
        report()
    else:
        raise ValueError(line)
# Its session ends at once, instead of with its timeout. Threads that wait for a lock must not hold this up.
client.stop()
os._exit(0)
