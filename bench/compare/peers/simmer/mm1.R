# simmer: M/M/c as a trajectory that seizes a server. All arrivals are drawn beforehand, in
# one call; the work has to be drawn by a call of R for each customer.
suppressMessages(library(simmer))

words <- commandArgs(trailingOnly = TRUE)
workload <- words[1]
customers <- as.integer(words[2])
set.seed(as.integer(words[3]))
servers <- if (startsWith(workload, "C")) as.integer(substring(workload, 2)) else 1L
rate <- (if (servers == 1L) 0.8 else 0.9) * servers

start <- proc.time()[["elapsed"]]
customer <- trajectory() |>
  seize("server") |>
  timeout(function() rexp(1)) |>
  release("server")
env <- simmer() |>
  add_resource("server", servers, mon = FALSE) |>
  add_generator("customer", customer, at(cumsum(rexp(customers, rate)))) |>
  run()
seconds <- proc.time()[["elapsed"]] - start
arrivals <- get_mon_arrivals(env)
cat(sprintf('{"name": "simmer", "count": %d, "seconds": %.6f, "answer": %.17g}\n',
            nrow(arrivals), seconds, mean(arrivals$end_time - arrivals$start_time)))
