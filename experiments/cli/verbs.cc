#include "experiments/cli/verbs.h"

#include <algorithm>

#include "experiments/cli/arguments.h"
#include "experiments/schema.h"

namespace basin {

namespace {

constexpr VerbOption capacity_options[] = {
    {"load", "KEY", "the key that scales the load; arrivals.rate if not said"},
    {"from", "VALUE", "the lowest load to try, as in a scenario file"},
    {"to", "VALUE", "the highest load to try; twice the consumers' rate if not said"},
    {"precision", "X%", "width of the intervals to reach; 1% if not said"},
    {"over", "KEY=V1,V2", "a table along a second key; also KEY=FROM:TO:STEPS"},
    {"saturated-delay",
     "SPAN",
     "the backlog of the saturated start, as the time to work it off"},
    {"max-runs", "N", "replications of each search at most; 240 if not said"},
};
constexpr VerbOption compare_options[] = {
    {"with", "KEY=VALUE", "B with another value of a key (repeatable)", true},
};
constexpr VerbOption whatif_options[] = {
    {"at", "SPAN", "when operators act; a hold after the last incident if not said"},
    {"rto", "SPAN", "time to recover from then; objective.recovery_time or the horizon"},
    {"probability", "X%", "of recovering in that time that is enough; 90% if not said"},
    {"precision", "X%", "step of what is searched, of its range; 2% if not said"},
};
constexpr VerbOption drain_options[] = {
    {"arrival-rate", "R/s", "base arrivals, such as 10k/s"},
    {"consumers", "N", "consumers at work"},
    {"service-rate", "R/s", "of one consumer, such as 400/s"},
    {"backlog", "N", "messages waiting, such as 3.6M"},
    {"rto", "SPAN", "the backlog is to be gone within this time, such as 30min"},
    {"sla", "SPAN", "the longest wait that is fine, such as 10s"},
    {"ttl", "SPAN", "age at which a message is of no use any more"},
    {"bump", "X%", "what so many more arrivals do; 10% if not said"},
    {"lost-consumers", "N", "how many are gone during the incident; all if not said"},
    {"accumulation", "R/s", "or by how much the backlog grows during the incident"},
    {"incident", "SPAN", "length of the incident: the backlog, if that is not said"},
    {"provisioning-lag", "SPAN", "how long ordered consumers take to arrive"},
    {"retries-per-timeout", "X", "new attempts for each that times out, such as 0.25"},
    {"timeout", "SPAN", "after which a caller retries, such as 30s"},
    {"steps", "N", "seconds for which retries are followed; 36000 if not said"},
};
constexpr VerbOption run_options[] = {
    {"precision", "X%", "replications until the metrics are known to X%, as 2%"},
    {"precision-of",
     "METRIC,…",
     "which metrics, also ARM.METRIC; goodput_ratio,mean_depth if not said"},
    {"max-replications", "N", "at most so many for the precision; 1280 if not said"},
};
constexpr VerbOption sweep_options[] = {
    {"shard", "I/N", "task I of N: its share of the runs, left for basin merge"},
    {"time-limit", "SPAN", "stops by then, such as 3h; the same command goes on"},
    {"retry-failed", "", "runs that failed before are done again"},
    {"keep-going", "", "goes on after a run that failed (as it does if not said)"},
    {"fail-fast", "", "begins no further run after one that failed"},
};
constexpr VerbOption submit_options[] = {
    {"tasks", "N", "of the array, each with its share of the runs"},
    {"time-limit", "SPAN", "of each job, such as 3h; tasks stop in time by themselves"},
    {"cpus-per-task", "C", "threads of a task; 1 if not said"},
    {"explain", "", "a third arm, without retries and redelivery"},
    {"memory", "SIZE", "of a task for waiting messages; Slurm is asked for a bit more"},
    {"retry-failed", "", "runs that failed before are done again"},
    {"sbatch", "OPT", "a further option for sbatch, as --sbatch=--partition=long", true},
    {"go", "", "submits it now"},
};
constexpr VerbOption repro_options[] = {
    {"cell", "I,J,…", "which cell: its places on the axes, from 0"},
    {"replication", "R", "which replication, from 0"},
    {"arm", "ARM", "control, triggered or unamplified; triggered if not said"},
};
constexpr VerbOption show_options[] = {
    {"preset", "NAME", "every value that a broker's preset stands for"},
};
constexpr VerbOption theory_options[] = {
    {"simulate", "", "runs the scenario too, and puts its intervals beside the values"},
};
constexpr VerbOption size_options[] = {
    {"lever", "KEY", "what may be turned, such as consumers.count"},
    {"from", "VALUE", "the least value to try, as in a scenario file"},
    {"to", "VALUE", "the greatest value to try"},
    {"probability",
     "P",
     "of a recovery within objective.recovery_time; 0.95 if not said"},
    {"smallest", "", "recovery is likelier at greater values: the smallest that will do"},
    {"largest", "", "recovery is likelier at smaller values: the largest that will do"},
    {"precision", "X%", "for a lever that is not a whole number; 2% if not said"},
    {"max-runs", "N", "replications of the search at most; 400 if not said"},
};
constexpr VerbOption schema_options[] = {
    {"reference", "", "the manual of keys (Markdown) instead of the schema"},
};

}  // namespace

const std::vector<Verb>& all_verbs() {
  static const std::vector<Verb> verbs = {
      {"run",
       "run S [-o F.h5]",
       "one scenario: does it come back after its incidents?",
       {scenario_options | running_options | output_option | json_option, run_options},
       run_verb},
      {"sweep",
       "sweep S -o F.h5",
       "the grid of the scenario's axes, as a phase map",
       {scenario_options | running_options | output_option | json_option, sweep_options},
       sweep_verb},
      {"submit",
       "submit S -o F.h5 --tasks N [--go]",
       "the sweep as an array job of Slurm, with a merge after it",
       {scenario_options | output_option | json_option, submit_options},
       submit_verb},
      {"status",
       "status F.h5",
       "what of a sweep is done, failed and missing",
       {json_option},
       status_verb},
      {"merge",
       "merge F.h5 [MORE…]",
       "joins what shards and other machines have done",
       {json_option},
       merge_verb},
      {"repro",
       "repro F.h5 --cell I,J --replication R",
       "runs one result again, checks it bit for bit, writes its trajectory",
       {output_file_option | json_option, repro_options},
       repro_verb},
      {"plan",
       "plan S",
       "what a sweep would take, and every value in force",
       {scenario_options | running_options | output_option | json_option},
       plan_verb},
      {"capacity",
       "capacity S [--over K=…]",
       "the highest load it carries, and the one it comes back at",
       {scenario_options | running_options | json_option, capacity_options},
       capacity_verb},
      {"compare",
       "compare A B | A --with K=V",
       "two scenarios, same random numbers: what is different",
       {scenario_options | running_options | json_option, compare_options},
       compare_verb},
      {"size",
       "size S --lever KEY",
       "the fewest consumers, or another lever, to recover within the RTO",
       {scenario_options | running_options | json_option, size_options},
       size_verb},
      {"drain",
       "drain [S] [--backlog N …]",
       "how long a backlog takes to drain, by arithmetic",
       {scenario_options | json_option, drain_options},
       drain_verb},
      {"theory",
       "theory S [--simulate]",
       "what closed forms, fluid limit and Markov chains say of it",
       {scenario_options | running_options | json_option, theory_options},
       theory_verb},
      {"whatif",
       "whatif S [--at SPAN] [--rto SPAN]",
       "the least that operators must do to bring a stuck system back",
       {scenario_options | running_options | json_option, whatif_options},
       whatif_verb},
      {"list", "list", "the scenarios that ship with Basin", {json_option}, list_verb},
      {"show",
       "show NAME | --preset NAME",
       "the text of a library scenario; the values of a preset",
       {json_option, show_options},
       show_verb},
      {"schema",
       "schema [--reference]",
       "the JSON Schema of scenario files, or the manual of their keys",
       {json_option, schema_options},
       schema_verb},
      {"help", "help [VERB]", "this text, or that of a verb", {}, help_verb},
  };
  return verbs;
}

const Verb& find_verb(std::string_view name) {
  const std::vector<Verb>& verbs = all_verbs();
  const auto found = std::find_if(
      verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == name; });
  if (found != verbs.end()) {
    return *found;
  }
  std::vector<std::string_view> names;
  names.reserve(verbs.size());
  for (const Verb& verb : verbs) {
    names.push_back(verb.name);
  }
  const std::string_view near = nearest(name, names);
  throw UsageError("there is no verb '" + std::string{name} + "'" +
                   (near.empty() ? "; basin help lists them"
                                 : "; did you mean '" + std::string{near} + "'?"));
}

}  // namespace basin
