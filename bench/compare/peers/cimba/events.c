/*
 * cimba, event view: M/M/c by events alone (A, C) and with a cancelled timer for each
 * customer (B). The line and the statistics are plain C; cimba has the events and the
 * random numbers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cimba.h>

#define LINE_SIZE (UINT64_C(1) << 16)  /* far more than ever wait at these loads */

struct customer {
    double arrival;
    uint64_t timer;
};

static struct {
    uint64_t idle;
    double mean_gap;
    uint64_t customers;
    uint64_t departed;
    uint64_t fired;
    double sojourns;
    /* Waiting customers; the one in service i is in serving[i]. */
    struct customer line[LINE_SIZE];
    uint64_t first, end;
    struct customer *serving;
    uint64_t *idle_servers;
} model;

static void depart(void *subject, void *object);
static void depart_with_timer(void *subject, void *object);

static void serve(const struct customer customer, const uint64_t server,
                  cmb_event_func *departure)
{
    model.serving[server] = customer;
    cmb_event_schedule(departure, &model.serving[server], NULL,
                       cmb_time() + cmb_random_std_exponential(), 0);
}

static void receive(const struct customer customer, cmb_event_func *departure)
{
    if (model.idle > 0u) {
        serve(customer, model.idle_servers[--model.idle], departure);
    }
    else {
        model.line[model.end++ % LINE_SIZE] = customer;
    }
}

static void complete(const struct customer *served, cmb_event_func *departure)
{
    const uint64_t server = (uint64_t)(served - model.serving);
    model.sojourns += cmb_time() - served->arrival;
    if (++model.departed == model.customers) {
        cmb_event_queue_clear();
    }
    else if (model.first != model.end) {
        serve(model.line[model.first++ % LINE_SIZE], server, departure);
    }
    else {
        model.idle_servers[model.idle++] = server;
    }
}

static void schedule_arrival(cmb_event_func *arrival)
{
    cmb_event_schedule(arrival, NULL, NULL,
                       cmb_time() + cmb_random_exponential(model.mean_gap), 0);
}

static void arrive(void *subject, void *object)
{
    cmb_unused(subject);
    cmb_unused(object);
    const struct customer customer = { cmb_time(), 0u };
    receive(customer, depart);
    schedule_arrival(arrive);
}

static void depart(void *subject, void *object)
{
    cmb_unused(object);
    complete(subject, depart);
}

static void give_up(void *subject, void *object)
{
    cmb_unused(subject);
    cmb_unused(object);
    ++model.fired;
}

static void arrive_with_timer(void *subject, void *object)
{
    cmb_unused(subject);
    cmb_unused(object);
    const double now = cmb_time();
    const struct customer customer = {
        now, cmb_event_schedule(give_up, NULL, NULL, now + 30.0, 0)
    };
    receive(customer, depart_with_timer);
    schedule_arrival(arrive_with_timer);
}

static void depart_with_timer(void *subject, void *object)
{
    cmb_unused(object);
    const struct customer *served = subject;
    if (cmb_time() < served->arrival + 30.0) {
        cmb_event_cancel(served->timer);
    }
    complete(served, depart_with_timer);
}

int main(const int argc, char **argv)
{
    if (argc != 4) {
        return 2;
    }
    const char *workload = argv[1];
    const uint64_t servers = workload[0] == 'C' ? strtoull(workload + 1, NULL, 10) : 1u;
    const bool timers = strcmp(workload, "B") == 0;
    model.customers = strtoull(argv[2], NULL, 10);
    model.mean_gap = 1.0 / ((servers == 1u ? 0.8 : 0.9) * (double)servers);
    model.serving = calloc(servers, sizeof(*model.serving));
    model.idle_servers = calloc(servers, sizeof(*model.idle_servers));
    for (model.idle = 0u; model.idle < servers; ++model.idle) {
        model.idle_servers[model.idle] = model.idle;
    }

    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    cmb_logger_flags_off(CMB_LOGGER_INFO);
    cmb_random_initialize(strtoull(argv[3], NULL, 10));
    cmb_event_queue_initialize(0.0);
    schedule_arrival(timers ? arrive_with_timer : arrive);
    cmb_event_queue_execute();
    cmb_event_queue_terminate();
    clock_gettime(CLOCK_MONOTONIC, &end);

    const double departed = (double)model.departed;
    printf("{\"name\": \"cimba events\", \"count\": %" PRIu64 ", \"seconds\": %.9f, "
           "\"answer\": %.17g, \"also\": {\"fired\": %.17g}}\n",
           model.departed,
           (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec),
           model.sojourns / departed, (double)model.fired / departed);
}
