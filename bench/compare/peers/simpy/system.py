"""SimPy: the whole system (D, storm).

Poisson requests, 32 consumers, leases that hide a message and hand it out again at its
first place, producers that time out and try again, an outage that freezes all consumers,
and a sample a second. The rules are those of models/README.md for this configuration.

All leases last equally long, and so do all producers' timers; so each kind is a queue
walked by one process, which is several times as fast as a timeout for each (SimPy keeps
cancelled ones until their time).
"""
import heapq
import json
import sys
import time
from collections import deque
from random import Random

import simpy

RATE = 10_000
CONSUMERS = 32
SERVICE_RATE = 400
MAX_ATTEMPTS = 4
OUTAGE = 5


class Request:
    __slots__ = ("created", "open")

    def __init__(self, created):
        self.created = created
        self.open = True


class Message:
    __slots__ = ("request", "generation", "place", "work", "receipt", "awaited", "waiting",
                 "deleted")

    def __init__(self, request, generation, place, work):
        self.request = request
        self.generation = generation
        self.place = place
        self.work = work
        self.receipt = 0
        self.awaited = True  # until its producer's timer ends
        self.waiting = True
        self.deleted = False


class System:
    def __init__(self, seed, horizon, outage_start, lease, patience, success_within):
        self.env = simpy.Environment()
        self.draw = Random(seed).expovariate
        self.horizon = horizon
        self.lease = lease
        self.patience = patience
        self.success_within = success_within
        self.line = deque()  # in the order of their sends
        self.returned = []  # a heap by place: messages whose lease ended
        self.depth = self.peak_depth = 0
        self.idle = deque()
        self.down = False
        self.leases = Timers(self.env, self.lease_over, self.lease_ended)
        self.timers = Timers(self.env, self.answered, self.timed_out)
        self.sent = self.created = self.undecided = 0
        self.completions = self.redeliveries = self.goodput = self.succeeded = 0
        self.samples = []
        self.env.process(self.arrivals())
        self.env.process(self.sampler())
        self.consumers = [self.env.process(self.consumer()) for _ in range(CONSUMERS)]
        if outage_start is not None:
            self.env.process(self.outage(outage_start))

    # --- Producers

    def arrivals(self):
        env, draw = self.env, self.draw
        while True:
            yield env.timeout(draw(RATE))
            if env.now < self.horizon:
                self.created += 1
                self.undecided += 1
            self.send(Request(env.now), 1)

    def send(self, request, generation):
        message = Message(request, generation, self.sent, self.draw(SERVICE_RATE))
        self.sent += 1
        self.timers.set(self.env.now + self.patience, message)
        self.line.append(message)
        self.enter()

    @staticmethod
    def answered(message):
        return not message.request.open

    def timed_out(self, message):
        request = message.request
        message.awaited = False
        if message.generation < MAX_ATTEMPTS:
            self.send(request, message.generation + 1)
        else:
            self.decide(request)

    def decide(self, request):
        request.open = False
        if request.created < self.horizon:
            self.undecided -= 1

    # --- Queue

    def enter(self):
        self.depth += 1
        if self.idle and not self.down:
            self.idle.popleft().succeed()
        elif self.depth > self.peak_depth and self.env.now < self.horizon:
            self.peak_depth = self.depth

    def take(self):
        """The waiting message with the earliest send, or None."""
        line, returned = self.line, self.returned
        while returned and returned[0][1].deleted:
            heapq.heappop(returned)
        if returned and not (line and line[0].place < returned[0][0]):
            message = heapq.heappop(returned)[1]
        elif line:
            message = line.popleft()
        else:
            return None
        self.depth -= 1
        message.waiting = False
        message.receipt += 1
        if message.receipt > 1:
            self.redeliveries += 1
        self.leases.set(self.env.now + self.lease, (message, message.receipt))
        return message

    @staticmethod
    def lease_over(receipt):
        message, number = receipt
        return message.deleted or message.receipt != number

    def lease_ended(self, receipt):
        message = receipt[0]
        message.waiting = True
        heapq.heappush(self.returned, (message.place, message))
        self.enter()

    def completed(self, message, receipt):
        self.completions += 1
        if message.receipt == receipt:  # also when its lease has ended meanwhile
            message.deleted = True
            if message.waiting:
                self.depth -= 1
        request, now = message.request, self.env.now
        if request.open and message.awaited:
            self.decide(request)
            if now - request.created <= self.success_within:
                if now < self.horizon:
                    self.goodput += 1
                if request.created < self.horizon:
                    self.succeeded += 1

    # --- Consumers

    def consumer(self):
        env = self.env
        while True:
            message = None if self.down else self.take()
            if message is None:
                work = env.event()
                self.idle.append(work)
                yield work
                continue
            receipt = message.receipt
            left = message.work
            while left is not None:
                started = env.now
                try:
                    yield env.timeout(left)
                    left = None
                except simpy.Interrupt as outage:
                    left -= env.now - started
                    yield outage.cause
            self.completed(message, receipt)

    def outage(self, start):
        env = self.env
        yield env.timeout(start)
        self.down = True
        over = env.event()
        for consumer in self.consumers:
            if isinstance(consumer.target, simpy.Timeout):
                consumer.interrupt(over)
        yield env.timeout(OUTAGE)
        self.down = False
        over.succeed()
        while self.idle:
            self.idle.popleft().succeed()

    # --- Observation

    def sampler(self):
        while True:
            self.samples.append((self.depth, self.completions, self.goodput))
            yield self.env.timeout(1)


class Timers:
    """Timers of one delay: a queue, and one process that waits for its head.

    When it wakes it passes over those that no longer matter, which are nearly all.
    """

    def __init__(self, env, dead, ended):
        self.env = env
        self.dead = dead
        self.ended = ended
        self.queue = deque()
        self.wake = None
        env.process(self.run())

    def set(self, end, what):
        self.queue.append((end, what))
        if self.wake is not None:
            self.wake.succeed()
            self.wake = None

    def run(self):
        env, queue, dead, ended = self.env, self.queue, self.dead, self.ended
        while True:
            while queue:
                end, what = queue[0]
                if dead(what):
                    queue.popleft()
                elif end > env.now:
                    yield env.timeout(end - env.now)
                else:
                    queue.popleft()
                    ended(what)
            self.wake = env.event()
            yield self.wake


def main():
    workload, messages, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    horizon = messages / RATE
    outage_start = min(100, horizon / 4)
    lease, patience, success_within = (2, 3, 12) if workload == "storm" else (30, 30, 30)
    start = time.perf_counter()
    system = System(seed, horizon, outage_start, lease, patience, success_within)
    system.env.run(until=horizon)
    goodput = system.goodput / horizon
    # Every request of the horizon is decided, as long as it can still succeed.
    while system.undecided and system.env.now <= horizon + success_within:
        system.env.step()
    seconds = time.perf_counter() - start
    print(json.dumps({
        "name": "SimPy", "count": system.sent, "seconds": seconds, "answer": goodput,
        "also": {"goodput ratio": system.succeeded / system.created,
                 "peak depth": system.peak_depth, "completions": system.completions,
                 "redeliveries": system.redeliveries}}))


main()
