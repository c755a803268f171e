"""salabim: M/M/c of components, one that sends customers and one for each server.

Customers are plain arrival times: a component for each costs several times as much.
"""
import json
import sys
import time
from collections import deque
from random import Random

import salabim as sim


def main():
    workload, customers, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    servers = int(workload[1:]) if workload[0] == "C" else 1
    rate = (0.8 if servers == 1 else 0.9) * servers
    draw = Random(seed).expovariate
    sojourns = 0.0
    departed = 0

    sim.yieldless(False)
    env = sim.Environment(trace=False, do_reset=True)
    line = deque()
    idle = []
    now = env.now

    class Arrivals(sim.Component):
        def process(self):
            while True:
                yield self.hold(draw(rate))
                line.append(now())
                if idle:
                    idle.pop().activate()

    class Server(sim.Component):
        def process(self):
            nonlocal sojourns, departed
            while True:
                if not line:
                    idle.append(self)
                    yield self.passivate()
                arrival = line.popleft()
                yield self.hold(draw(1.0))
                sojourns += now() - arrival
                departed += 1
                if departed == customers:
                    yield env.main().activate()

    Arrivals()
    for _ in range(servers):
        Server()
    start = time.perf_counter()
    env.run()
    seconds = time.perf_counter() - start
    print(json.dumps({"name": "salabim", "count": departed, "seconds": seconds,
                      "answer": sojourns / departed}))


main()
