"""SimPy: M/M/c (A, C25, C2500) and M/M/1 with a timer for each customer (B).

STYLE is "processes" (a generator for the arrivals and one for each server, as SimPy's
guides write it) or "callbacks" (functions hung on timeouts: less natural, faster).
"""
import json
import sys
import time
from collections import deque
from random import Random

import simpy


def processes(servers, mean_gap, customers, random, timers):
    env = simpy.Environment()
    line = deque()
    idle = []
    done = env.event()
    draw = random.expovariate
    gap_rate = 1 / mean_gap
    sojourns = 0.0
    departed = 0
    fired = 0

    def patience(served):
        nonlocal fired
        timer = env.timeout(30)
        yield served | timer
        if timer.processed:
            fired += 1

    def arrivals():
        while True:
            yield env.timeout(draw(gap_rate))
            served = None
            if timers:
                served = env.event()
                env.process(patience(served))
            line.append((env.now, served))
            if idle:
                idle.pop().succeed()

    def server():
        nonlocal sojourns, departed
        while True:
            if not line:
                customer = env.event()
                idle.append(customer)
                yield customer
            arrival, served = line.popleft()
            yield env.timeout(draw(1.0))
            sojourns += env.now - arrival
            departed += 1
            if served is not None:
                served.succeed()
            if departed == customers:
                done.succeed()

    env.process(arrivals())
    for _ in range(servers):
        env.process(server())
    env.run(done)
    return sojourns / customers, fired / customers


def callbacks(servers, mean_gap, customers, random, timers):
    env = simpy.Environment()
    timeout = env.timeout
    line = deque()
    idle = servers
    done = env.event()
    draw = random.expovariate
    gap_rate = 1 / mean_gap
    sojourns = 0.0
    departed = 0
    fired = 0

    def patience(timer):
        nonlocal fired
        if timer.value[0] is not None:  # the customer is still there
            fired += 1

    def serve(customer):
        timeout(draw(1.0), customer).callbacks.append(depart)

    def arrive(_):
        nonlocal idle
        customer = [env.now]
        if timers:
            timeout(30, customer).callbacks.append(patience)
        if idle:
            idle -= 1
            serve(customer)
        else:
            line.append(customer)
        timeout(draw(gap_rate)).callbacks.append(arrive)

    def depart(event):
        nonlocal sojourns, departed, idle
        customer = event.value
        sojourns += env.now - customer[0]
        customer[0] = None
        departed += 1
        if departed == customers:
            done.succeed()
        if line:
            serve(line.popleft())
        else:
            idle += 1

    timeout(draw(gap_rate)).callbacks.append(arrive)
    env.run(done)
    return sojourns / customers, fired / customers


def main():
    workload, customers, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    style = {"processes": processes, "callbacks": callbacks}[sys.argv[4]]
    servers = int(workload[1:]) if workload[0] == "C" else 1
    mean_gap = 1 / ((0.8 if servers == 1 else 0.9) * servers)
    start = time.perf_counter()
    answer, fired = style(servers, mean_gap, customers, Random(seed), workload == "B")
    seconds = time.perf_counter() - start
    print(json.dumps({"name": f"SimPy {sys.argv[4]}", "count": customers,
                      "seconds": seconds, "answer": answer, "also": {"fired": fired}}))


main()
