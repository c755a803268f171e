"""Ciw: M/M/c. The network is described, not programmed; no timers that leave one served."""
import json
import sys
import time

import ciw


def main():
    workload, customers, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    servers = int(workload[1:]) if workload[0] == "C" else 1
    rate = (0.8 if servers == 1 else 0.9) * servers
    start = time.perf_counter()
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(rate=rate)],
        service_distributions=[ciw.dists.Exponential(rate=1.0)],
        number_of_servers=[servers],
    )
    ciw.seed(seed)
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_customers(customers, method="Complete")
    seconds = time.perf_counter() - start
    records = simulation.get_all_records()
    total = sum(record.exit_date - record.arrival_date for record in records)
    print(json.dumps({"name": "Ciw", "count": len(records), "seconds": seconds,
                      "answer": total / len(records)}))


main()
