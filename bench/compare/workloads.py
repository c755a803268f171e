"""What is compared: the workloads, who runs them at which size, and the exact answers."""
import math
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """One program at one size. `n` counts customers or messages; slow programs get fewer."""

    program: str
    workload: str
    n: int
    label: str = ""


@dataclass(frozen=True)
class Expected:
    """An exact value, or where `of` names a row the value that row found."""

    quantity: str
    value: float | None
    tolerance: float  # absolute
    of: Row | None = None


@dataclass(frozen=True)
class Section:
    """One table. Rates are set against the first row's."""

    key: str  # as given on the command line
    title: str
    unit: str  # what is counted
    ratio: str  # what the ratio column means
    answer: str  # what programs call their answer
    rows: list[Row]
    quick_n: int
    expected: callable = lambda row: []
    # (sentence, row, row): the second's time over the first's is printed below the table.
    notes: list[tuple[str, Row, Row]] = field(default_factory=list)
    same_bits: list[tuple[Row, Row]] = field(default_factory=list)
    backlog: bool = False  # completions, and memory by waiting message, are of interest


# --- Theory


def erlang_c(servers, offered):
    """Probability to wait in M/M/c (Erlang C), by the recursion of Erlang B."""
    blocking = 1.0
    for k in range(1, servers + 1):
        blocking = offered * blocking / (k + offered * blocking)
    utilization = offered / servers
    return blocking / (1 - utilization + utilization * blocking)


def mean_wait(servers, utilization, service_rate=1.0):
    surplus = servers * service_rate * (1 - utilization)
    return erlang_c(servers, servers * utilization) / surplus


def wait_deviation(customers, servers, utilization, service_rate=1.0):
    """Standard deviation of the mean wait over `customers` successive customers.

    Exact in the limit for M/M/1 (Daley, "The serial correlation coefficients of waiting
    times in a stationary single server queue", 1968); with c servers that of one server c
    times as fast, which is more.
    """
    r = utilization
    variance = r * (2 + 5 * r - 4 * r**2 + r**3) / (1 - r) ** 4
    return math.sqrt(variance / customers) / (servers * service_rate)


# Four standard deviations; a right program is off in one of 16,000 runs.
SIGMAS = 4


def expect_one_server(row):
    return [Expected("answer", 5.0, SIGMAS * wait_deviation(row.n, 1, 0.8))]


def expect_timers(row):
    share = math.exp(-0.2 * 30)  # the time in the system is exponential with mean 5
    # Those who wait that long come in clusters, of 1 / (1 - utilization)^2 customers.
    deviation = math.sqrt(2 * 25 * share / row.n)
    return expect_one_server(row) + [Expected("fired", share, SIGMAS * deviation)]


def expect_servers(servers):
    exact = 1 + mean_wait(servers, 0.9)

    def expect(row):
        deviation = math.hypot(wait_deviation(row.n, servers, 0.9), math.sqrt(1 / row.n))
        # Who is still served when a program stops is left out: the long services.
        return [Expected("answer", exact, SIGMAS * deviation + servers / row.n)]

    return expect


MESSAGE_RATE, CONSUMERS, CONSUMER_RATE, OUTAGE = 10_000, 32, 400, 5
CAPACITY = CONSUMERS * CONSUMER_RATE


def expect_outage(row):
    peak = OUTAGE * MESSAGE_RATE
    return [
        Expected("goodput ratio", 1.0, 0.0),
        Expected("peak depth", peak, SIGMAS * math.sqrt(peak) + 100),
    ]


def expect_quiet(row):
    utilization = MESSAGE_RATE / CAPACITY
    wait = mean_wait(CONSUMERS, utilization, CONSUMER_RATE)
    deviation = wait_deviation(row.n, CONSUMERS, utilization, CONSUMER_RATE)
    return [
        Expected("goodput ratio", 1.0, 0.0),
        Expected("mean depth", MESSAGE_RATE * wait, SIGMAS * MESSAGE_RATE * deviation),
    ]


def expect_saturated(row):
    # Consumers are never idle, and the run goes on for the producers' 30 s.
    completions = CAPACITY * (row.n / MESSAGE_RATE - OUTAGE + 30)
    return [Expected("completions", completions, SIGMAS * math.sqrt(completions))]


STORM = Row("basin", "storm", 100_000)


def expect_storm(row):
    if row == STORM:
        return []
    return [Expected("goodput ratio", None, 0.01, of=STORM),
            Expected("peak depth", None, 3_000, of=STORM)]


# --- Who runs what. Sizes are such that a program takes a few seconds at most.

M = 1_000_000

ENGINE = Row("basin", "A", 10 * M, "Basin, engine")
BY_HAND = Row("basin", "A_floor", 10 * M, "the same by hand")


def peers(workload, sizes):
    return [Row(program, workload, n) for program, n in sizes.items()]


def many_servers(servers, sizes):
    workload = f"C{servers}"
    return Section(
        "C",
        f"{workload}: M/M/{servers} at utilization 0.9",
        "customers",
        "Basin's rate / its",
        "mean time in the system",
        [Row("basin", workload, 5 * M, "Basin, engine"),
         Row("basin", f"{workload}_model", 5 * M, "Basin, model")] + peers(workload, sizes),
        50_000,
        expect_servers(servers),
        notes=[(f"{view}, 2500 servers against 25",
                Row("basin", f"C2500{suffix}", 5 * M, view),
                Row("basin", f"C25{suffix}", 5 * M, view))
               for view, suffix in (("Basin, engine", ""), ("Basin, model", "_model"))
               if servers == 2500],
    )


SECTIONS = [
    Section(
        "A",
        "A: M/M/1 at utilization 0.8",
        "customers",
        "Basin's rate / its",
        "mean time in the system",
        [
            ENGINE,
            Row("basin", "A", M, "Basin, engine"),
            BY_HAND,
            Row("basin", "A_model", 10 * M, "Basin, model"),
            Row("basin", "A_model", M, "Basin, model"),
            Row("cimba_events", "A", M),
        ]
        + peers("A", {
            "cimba_events": 10 * M, "cimba_events_profiled": 10 * M,
            "cimba_processes": 10 * M, "cimba_processes_profiled": 10 * M,
            "simcpp20": 3 * M, "ns3": 3 * M, "ssj": 3 * M,
            "simpy_processes": 200_000, "simpy_callbacks": 300_000,
            "simpy_processes_pypy": M, "simpy_callbacks_pypy": M,
            "salabim": 100_000, "simmer": 100_000, "ciw": 30_000,
        }),
        50_000,
        expect_one_server,
        notes=[("The engine against the loop by hand", ENGINE, BY_HAND)],
        same_bits=[(ENGINE, BY_HAND)],
    ),
    Section(
        "B",
        "B: the same with a timer of 30 for each customer, cancelled when it is served",
        "customers",
        "Basin's rate / its",
        "mean time in the system",
        [Row("basin", "B", 10 * M, "Basin, engine")]
        + peers("B", {
            "cimba_events": 10 * M, "cimba_events_profiled": 10 * M,
            "simcpp20": 2 * M, "ns3": 2 * M, "ssj": 2 * M,
            "simpy_processes": 100_000, "simpy_callbacks": 200_000,
            "simpy_processes_pypy": 200_000, "simpy_callbacks_pypy": M,
        }),
        50_000,
        expect_timers,
    ),
    many_servers(25, {
        "cimba_events": 5 * M, "cimba_events_profiled": 5 * M,
        "cimba_processes": 2 * M, "cimba_processes_profiled": 2 * M,
        "simcpp20": 2 * M, "ns3": 2 * M, "ssj": 2 * M,
        "simpy_processes": 200_000, "simpy_callbacks": 300_000,
        "simpy_processes_pypy": M, "simpy_callbacks_pypy": M,
        "salabim": 100_000, "simmer": 100_000, "ciw": 30_000,
    }),
    many_servers(2500, {
        "cimba_events": 5 * M, "cimba_events_profiled": 5 * M,
        "cimba_processes": M, "cimba_processes_profiled": M,
        "simcpp20": M, "ns3": M, "ssj": 2 * M,
        "simpy_processes": 200_000, "simpy_callbacks": 300_000,
        "simpy_processes_pypy": 500_000, "simpy_callbacks_pypy": M,
        "salabim": 100_000, "simmer": 100_000, "ciw": 30_000,
    }),
    Section(
        "D",
        "D: 10,000/s on 32 consumers, leases and producers' timers of 30 s with three"
        " retries, an outage of 5 s, a sample a second",
        "messages",
        "Basin's rate / its",
        "goodput",
        [
            Row("basin", "D", 12 * M, "Basin"),
            Row("basin", "D", 300_000, "Basin"),
            Row("simpy_system", "D", 300_000),
            Row("simpy_system_pypy", "D", 300_000),
        ],
        300_000,
        expect_outage,
    ),
    Section(
        "D",
        "Storm: D with timers of 3 s and leases of 2 s, which tips over",
        "messages",
        "Basin's rate / its",
        "goodput",
        [STORM, Row("simpy_system", "storm", 100_000),
         Row("simpy_system_pypy", "storm", 100_000)],
        100_000,
        expect_storm,
    ),
    Section(
        "E",
        "E: D behind a backlog of 10 million messages, one attempt (E1) and four (E4, which"
        " collapses)",
        "messages sent",
        "E1's rate / its",
        "goodput",
        [Row("basin", "E1", 12 * M, "Basin, one attempt"),
         Row("basin", "E4", 12 * M, "Basin, four attempts")],
        800_000,  # such that requests still wait longer than 30 s at the end
        expect_saturated,
        backlog=True,
    ),
    Section(
        "growth",
        "Growth: D without the outage, longer and longer",
        "messages",
        "cost of a message / that in the first row",
        "goodput",
        [Row("basin", "growth", n, "Basin") for n in (100_000, M, 10 * M, 100 * M)],
        100_000,
        expect_quiet,
    ),
]

# --- The sweep: wall time on one thread and on two

SWEEP_THREADS = (1, 2)
