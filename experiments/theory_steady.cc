// The untriggered queue in steady state: which closed form it is a case of.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "analysis/abandonment.h"
#include "analysis/approximations.h"
#include "analysis/erlang.h"
#include "analysis/gim1.h"
#include "analysis/md1.h"
#include "analysis/mg1.h"
#include "analysis/mm1.h"
#include "analysis/mmpp.h"
#include "analysis/no_answer.h"
#include "engine/time.h"
#include "experiments/run_summary.h"
#include "experiments/theory.h"
#include "experiments/theory_facts.h"
#include "experiments/theory_filling.h"

namespace basin {

namespace {

// What every form of the plain queue asks: that attempts do not come back, nothing is
// refused or dropped, and messages are worked on one by one by consumers that are alike.
std::string not_plain(const TheoryFacts& facts) {
  return first_reason({facts.arrival_rate == 0 ? "nothing arrives" : "",
                       facts.obstacles.empty() ? "" : facts.obstacles.front(),
                       facts.loop,
                       facts.waiting_room ? "the queue is bounded" : "",
                       facts.time_to_live ? "messages are dropped at their TTL" : ""});
}

std::string not_poisson(const TheoryFacts& facts) {
  return facts.poisson ? "" : "arrivals are not Poisson (" + facts.process + ")";
}

std::string not_exponential(const TheoryFacts& facts) {
  return facts.exponential_service ? "" : "service is not exponential";
}

std::string not_one_server(const TheoryFacts& facts) {
  return facts.servers == 1 ? "" : fmt::format("there are {} consumers", facts.servers);
}

// Depth, wait and work of a queue that serves all that comes. Latencies are told apart:
// they are infinite as soon as one request fails.
void add_queue(TheoryForm& form,
               const TheoryFacts& facts,
               double mean_waiting,
               double mean_wait) {
  form.values.push_back({"mean depth", "messages", mean_waiting, "mean_depth"});
  form.values.push_back({"mean wait", "s", mean_wait, "mean_wait"});
  form.values.push_back({"mean in service",
                         "messages",
                         facts.arrival_rate * facts.service_mean,
                         "mean_in_flight"});
  form.values.push_back({"utilization", "1", facts.load(), "utilization"});
  form.values.push_back({"throughput", "1/s", facts.arrival_rate, "throughput"});
}

// Quantiles of the latency, which the simulation has as long as fewer fail.
void add_latency(TheoryForm& form,
                 const Scenario& scenario,
                 double mean_sojourn,
                 const std::function<double(double p)>& quantile) {
  const std::optional<Duration>& within = scenario.system.success_within;
  const double longest =
      within ? to_seconds(*within) : std::numeric_limits<double>::infinity();
  form.values.push_back(
      {"mean sojourn", "s", mean_sojourn, within ? "" : "mean_latency"});
  if (scenario.system.queue.order != QueueOrder::fifo) {
    return;
  }
  const std::pair<double, const char*> quantiles[] = {{0.5, "latency_p50"},
                                                      {0.95, "latency_p95"},
                                                      {0.99, "latency_p99"},
                                                      {0.999, "latency_p999"}};
  for (const auto& [p, metric] : quantiles) {
    const double value = quantile(p);
    form.values.push_back({fmt::format("sojourn, {:g}%", 100 * p),
                           "s",
                           value,
                           value < longest ? metric : "",
                           Arm::control,
                           true});
  }
}

void add_warmup(TheoryForm& form, const Scenario& scenario, double relaxation_rate) {
  const double warmup = to_seconds(scenario.system.warmup);
  form.values.push_back({"relaxation time", "s", 1 / relaxation_rate});
  if (warmup * relaxation_rate < 5) {
    form.notes.push_back(fmt::format(
        "The warm-up of {} is {:.2g} relaxation times: a simulation that starts empty is "
        "biased until some 5 of them have passed.",
        readable_span(warmup),
        warmup * relaxation_rate));
  }
}

TheoryForm mm1(const Scenario& scenario, const TheoryFacts& facts) {
  TheoryForm form{.name = "M/M/1",
                  .subject = "the untriggered queue, one exponential consumer",
                  .source = "Kleinrock, Queueing Systems vol. 1 (1975), chapter 3"};
  form.why_not = first_reason({not_plain(facts),
                               not_poisson(facts),
                               not_exponential(facts),
                               not_one_server(facts)});
  return filled(std::move(form), [&](TheoryForm& to) {
    const Mm1 queue{.arrival_rate = facts.arrival_rate, .service_rate = facts.capacity};
    const Mm1Answers result = answers(queue);
    add_queue(to, facts, result.mean_waiting, result.mean_wait);
    add_latency(to, scenario, result.mean_sojourn, [&](double p) {
      return sojourn_quantile(queue, p);
    });
    to.values.push_back({"busy period, mean", "s", result.busy_period_mean});
    add_warmup(to, scenario, result.relaxation_rate);
  });
}

TheoryForm mm1_transient(const Scenario& scenario, const TheoryFacts& facts) {
  TheoryForm form{.name = "M/M/1 from empty",
                  .subject = "the number in the system as time passes",
                  .source = "Morse (1955), spectral representation"};
  form.why_not = first_reason({not_plain(facts),
                               not_poisson(facts),
                               not_exponential(facts),
                               not_one_server(facts)});
  return filled(std::move(form), [&](TheoryForm& to) {
    const Mm1 queue{.arrival_rate = facts.arrival_rate, .service_rate = facts.capacity};
    const std::pair<const char*, Duration> instants[] = {
        {"warm-up's end", scenario.system.warmup}, {"horizon", scenario.system.horizon}};
    for (const auto& [name, instant] : instants) {
      const Mm1Transient at = transient(queue, 0, to_seconds(instant));
      to.values.push_back(
          {fmt::format("mean number at the {}", name), "messages", at.mean_number});
      to.values.push_back({fmt::format("its standard deviation"),
                           "messages",
                           std::sqrt(std::max(0.0, at.number_variance))});
    }
  });
}

TheoryForm mmc(const Scenario& scenario, const TheoryFacts& facts) {
  TheoryForm form{.name = "M/M/c",
                  .subject = "the untriggered queue, exponential consumers",
                  .source = "Erlang C; Kleinrock, Queueing Systems vol. 1 (1975), 3.5"};
  form.why_not = first_reason({facts.servers == 1 ? "one consumer: see M/M/1" : "",
                               not_plain(facts),
                               not_poisson(facts),
                               not_exponential(facts)});
  return filled(std::move(form), [&](TheoryForm& to) {
    const Mmc queue{.arrival_rate = facts.arrival_rate,
                    .service_rate = facts.capacity / facts.servers,
                    .servers = facts.servers};
    const MmcAnswers result = answers(queue);
    to.values.push_back({"probability to wait", "1", result.wait_probability});
    add_queue(to, facts, result.mean_waiting, result.mean_wait);
    add_latency(to, scenario, result.mean_sojourn, [&](double p) {
      return sojourn_quantile(queue, p);
    });
    to.values.push_back({"wait, 99%", "s", wait_quantile(queue, 0.99)});
  });
}

// With retries that are rare while the system is healthy, the queue is nearly M/M/c.
TheoryForm healthy_mmc(const Scenario& scenario, const TheoryFacts& facts) {
  constexpr double rare = 1e-3;
  TheoryForm form{.name = "M/M/c without retries",
                  .subject = "the healthy queue, before anything tips it",
                  .source = "Erlang C; retries left aside",
                  .standing = Standing::approximation};
  TheoryFacts open = facts;
  open.loop.clear();
  form.why_not = first_reason({facts.loop.empty() ? "nobody retries" : "",
                               not_plain(open),
                               not_poisson(facts),
                               not_exponential(facts)});
  return filled(std::move(form), [&](TheoryForm& to) {
    const Mmc queue{.arrival_rate = facts.arrival_rate,
                    .service_rate = facts.capacity / facts.servers,
                    .servers = facts.servers};
    const MmcAnswers result = answers(queue);
    const double late = sojourn_tail(queue, facts.timeout);
    if (late > rare) {
      throw NoAnswer(fmt::format(
          "even without retries {:.2g}% of the attempts would time out", 100 * late));
    }
    to.values.push_back({"attempts that time out", "1", late});
    add_queue(to, facts, result.mean_waiting, result.mean_wait);
    add_latency(to, scenario, result.mean_sojourn, [&](double p) {
      return sojourn_quantile(queue, p);
    });
  });
}

TheoryForm mmck(const TheoryFacts& facts) {
  TheoryForm form{
      .name = "M/M/c/K",
      .subject = "the untriggered queue with a bound on its length",
      .source = "product form; Kleinrock, Queueing Systems vol. 1 (1975), 3.6"};
  TheoryFacts unbounded = facts;
  unbounded.waiting_room.reset();
  form.why_not = first_reason({facts.waiting_room ? "" : "the queue is unbounded",
                               not_plain(unbounded),
                               not_poisson(facts),
                               not_exponential(facts)});
  return filled(std::move(form), [&](TheoryForm& to) {
    const MmcKAnswers result =
        answers(MmcK{.arrival_rate = facts.arrival_rate,
                     .service_rate = facts.capacity / facts.servers,
                     .servers = facts.servers,
                     .capacity = *facts.waiting_room + facts.servers});
    to.values = {{"probability to be refused", "1", result.blocking_probability},
                 {"refused",
                  "1/s",
                  facts.arrival_rate * result.blocking_probability,
                  "rejected_rate"},
                 {"throughput", "1/s", result.throughput, "throughput"},
                 {"mean depth", "messages", result.mean_waiting, "mean_depth"},
                 {"mean wait of those let in", "s", result.mean_wait, "mean_wait"},
                 {"utilization", "1", result.utilization, "utilization"}};
  });
}

TheoryForm mg1(const Scenario& scenario, const TheoryFacts& facts) {
  TheoryForm form{.name = "M/G/1",
                  .subject = "the untriggered queue, one consumer of any service",
                  .source = "Pollaczek and Khinchine; Takács for the second moment"};
  form.why_not = first_reason({facts.exponential_service ? "service is exponential: see "
                                                           "M/M/1 and M/M/c"
                                                         : "",
                               not_plain(facts),
                               not_poisson(facts),
                               not_one_server(facts)});
  return filled(std::move(form), [&](TheoryForm& to) {
    const Mg1Answers result = answers(Mg1{.arrival_rate = facts.arrival_rate,
                                          .service = law_of(facts.service).moments});
    add_queue(to, facts, result.mean_waiting, result.mean_wait);
    to.values.push_back({"mean sojourn",
                         "s",
                         result.mean_sojourn,
                         scenario.system.success_within ? "" : "mean_latency"});
    if (result.wait_variance && scenario.system.queue.order == QueueOrder::fifo) {
      to.values.push_back(
          {"wait, standard deviation", "s", std::sqrt(*result.wait_variance)});
    }
    to.values.push_back({"busy period, mean", "s", result.busy_period_mean});
  });
}

TheoryForm md1(const Scenario& scenario, const TheoryFacts& facts) {
  const auto* service = std::get_if<Deterministic>(&facts.service);
  TheoryForm form{.name = "M/D/1",
                  .subject = "the law of the waits, one consumer of constant service",
                  .source = "cut equations; Franx (2001) for the waits"};
  form.why_not = first_reason({service == nullptr ? "service is not constant" : "",
                               not_plain(facts),
                               not_poisson(facts),
                               not_one_server(facts),
                               scenario.system.queue.order == QueueOrder::fifo
                                   ? ""
                                   : "the last one sent is first"});
  return filled(std::move(form), [&](TheoryForm& to) {
    const Md1 queue{facts.arrival_rate, service->mean};
    to.values.push_back({"probability not to wait", "1", queue.wait_distribution(0)});
    add_latency(to, scenario, queue.mean_sojourn(), [&](double p) {
      return queue.wait_quantile(p) + service->mean;
    });
  });
}

TheoryForm gim1(const Scenario& scenario, const TheoryFacts& facts) {
  TheoryForm form{.name = "GI/M/1",
                  .subject = "the untriggered queue, gaps of any law",
                  .source =
                      "root of sigma = A*(mu (1 - sigma)); Kleinrock, Queueing Systems "
                      "vol. 1 (1975), 6"};
  form.why_not = first_reason(
      {facts.poisson ? "arrivals are Poisson: see M/M/1" : "",
       facts.gap ? ""
                 : "gaps between arrivals are not independent (" + facts.process + ")",
       not_plain(facts),
       not_exponential(facts),
       not_one_server(facts)});
  return filled(std::move(form), [&](TheoryForm& to) {
    const GiM1Answers result =
        answers(GiM1{.gap = law_of(*facts.gap), .service_rate = facts.capacity});
    to.values.push_back({"probability to wait, sigma", "1", result.sigma});
    add_queue(to, facts, result.mean_waiting, result.mean_wait);
    add_latency(to, scenario, result.mean_sojourn, [&](double p) {
      return sojourn_quantile(result, p);
    });
  });
}

TheoryForm mmpp(const Scenario& scenario, const TheoryFacts& facts) {
  TheoryForm form{.name = "MMPP/M/1",
                  .subject = "the untriggered queue under modulated arrivals",
                  .source = "matrix-geometric (Neuts 1981), logarithmic reduction"};
  form.why_not = first_reason(
      {facts.modulation ? "" : "arrivals are no Markov-modulated Poisson process",
       not_plain(facts),
       not_exponential(facts),
       not_one_server(facts)});
  return filled(std::move(form), [&](TheoryForm& to) {
    const MmppM1Answers result =
        answers(MmppM1{.arrival_rates = facts.modulation->rates,
                       .switching_rates = facts.modulation->transitions,
                       .service_rate = facts.capacity});
    to.values.push_back({"probability to wait", "1", result.wait_probability});
    add_queue(to, facts, result.mean_waiting, result.mean_wait);
    to.values.push_back({"mean sojourn",
                         "s",
                         result.mean_sojourn,
                         scenario.system.success_within ? "" : "mean_latency"});
    to.values.push_back({"decay of the number's tail", "1", result.decay});
  });
}

TheoryForm impatience(const Scenario& scenario, const TheoryFacts& facts) {
  TheoryForm form{
      .name = "M/M/c+D",
      .subject = "messages that are dropped past their TTL",
      .source = "Baccelli and Hebuterne (1981), Zeltyn and Mandelbaum (2005)"};
  TheoryFacts patient = facts;
  patient.time_to_live.reset();
  form.why_not = first_reason(
      {facts.time_to_live ? "" : "messages have no TTL within the horizon",
       not_plain(patient),
       not_poisson(facts),
       not_exponential(facts),
       scenario.system.queue.order == QueueOrder::fifo ? ""
                                                       : "the last one sent is first"});
  return filled(std::move(form), [&](TheoryForm& to) {
    const MmcPlusDAnswers result =
        answers(MmcPlusD{.arrival_rate = facts.arrival_rate,
                         .service_rate = facts.capacity / facts.servers,
                         .servers = facts.servers,
                         .patience = *facts.time_to_live});
    to.values = {{"probability to wait", "1", result.wait_probability},
                 {"share that is dropped", "1", result.abandon_probability},
                 {"dropped",
                  "1/s",
                  facts.arrival_rate * result.abandon_probability,
                  "expired_rate"},
                 {"throughput", "1/s", result.throughput, "throughput"},
                 {"mean wait of the served", "s", result.mean_wait_served, "mean_wait"},
                 {"utilization", "1", result.throughput / facts.capacity, "utilization"}};
  });
}

TheoryForm erlang_a() {
  return {.name = "Erlang-A (M/M/c+M)",
          .subject = "exponential patience",
          .source = "Palm (1957)",
          .why_not =
              "messages leave the queue at a constant age or never (message_ttl), not "
              "after an exponential time"};
}

std::string not_two_moments(const TheoryFacts& facts) {
  return first_reason(
      {facts.gap ? ""
                 : "gaps between arrivals are not independent (" + facts.process + ")",
       not_plain(facts)});
}

GiGc two_moments(const TheoryFacts& facts) {
  return {.gap = law_of(*facts.gap).moments,
          .service = law_of(facts.service).moments,
          .servers = facts.servers};
}

TheoryForm allen_cunneen(const TheoryFacts& facts) {
  TheoryForm form{.name = "Allen-Cunneen (GI/G/c)",
                  .subject = "waits by two moments of gaps and services",
                  .source = "Allen (1990): Erlang C / surplus (ca2 + cs2) / 2",
                  .standing = Standing::approximation};
  form.why_not = first_reason(
      {facts.poisson && facts.exponential_service ? "an exact form applies: M/M/c" : "",
       not_two_moments(facts)});
  return filled(std::move(form), [&](TheoryForm& to) {
    const double wait = allen_cunneen_approximation(two_moments(facts));
    add_queue(to, facts, facts.arrival_rate * wait, wait);
  });
}

TheoryForm kingman(const TheoryFacts& facts) {
  TheoryForm form{.name = "Kingman's bound (GI/G/1)",
                  .subject = "the longest the mean wait can be",
                  .source = "Kingman (1962), Daley (1977)",
                  .standing = Standing::bound};
  form.why_not = first_reason({not_two_moments(facts), not_one_server(facts)});
  return filled(std::move(form), [&](TheoryForm& to) {
    to.values = {
        {"mean wait, at most", "s", daley_bound(two_moments(facts)), "mean_wait"}};
  });
}

TheoryForm priorities() {
  return {.name = "Priority classes",
          .subject = "M/G/1 with classes",
          .source = "Cobham (1954)",
          .why_not = "the queue has one class of messages"};
}

TheoryForm retrials() {
  return {.name = "Classical retrial queue",
          .subject = "M/G/1 and M/M/c with an orbit",
          .source = "Falin and Templeton (1997)",
          .why_not =
              "a refused message is not sent again until it is let in: attempts are "
              "bounded, and there is a queue"};
}

}  // namespace

std::vector<TheoryForm> steady_state_forms(const Scenario& scenario) {
  const TheoryFacts facts = facts_of(scenario);
  return {mm1(scenario, facts),
          mm1_transient(scenario, facts),
          mmc(scenario, facts),
          healthy_mmc(scenario, facts),
          mmck(facts),
          mg1(scenario, facts),
          md1(scenario, facts),
          gim1(scenario, facts),
          mmpp(scenario, facts),
          impatience(scenario, facts),
          erlang_a(),
          allen_cunneen(facts),
          kingman(facts),
          priorities(),
          retrials()};
}

}  // namespace basin
