/*
 * cimba, process view: M/M/c of coroutines, one that sends customers through an object
 * queue and one for each server.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cimba.h>

/* Arrivals from the pool of a ring: a place is free long before its number comes again. */
#define PLACES (UINT64_C(1) << 16)

static struct {
    struct cmb_objectqueue *line;
    double mean_gap;
    uint64_t customers;
    uint64_t departed;
    double sojourns;
    double arrivals[PLACES];
} model;

static void *send_customers(struct cmb_process *me, void *context)
{
    cmb_unused(me);
    cmb_unused(context);
    for (uint64_t i = 0u; i < model.customers; ++i) {
        cmb_process_hold(cmb_random_exponential(model.mean_gap));
        double *arrival = &model.arrivals[i % PLACES];
        *arrival = cmb_time();
        cmb_objectqueue_put(model.line, arrival);
    }
    return NULL;
}

static void *serve(struct cmb_process *me, void *context)
{
    cmb_unused(me);
    cmb_unused(context);
    for (;;) {
        void *customer = NULL;
        cmb_objectqueue_get(model.line, &customer);
        const double arrival = *(const double *)customer;
        cmb_process_hold(cmb_random_std_exponential());
        model.sojourns += cmb_time() - arrival;
        ++model.departed;
    }
    return NULL;
}

static struct cmb_process *start(const char *name, cmb_process_func *function)
{
    struct cmb_process *process = cmb_process_create();
    cmb_process_initialize(process, name, function, NULL, 0);
    cmb_process_start(process);
    return process;
}

int main(const int argc, char **argv)
{
    if (argc != 4) {
        return 2;
    }
    const uint64_t servers = argv[1][0] == 'C' ? strtoull(argv[1] + 1, NULL, 10) : 1u;
    model.customers = strtoull(argv[2], NULL, 10);
    model.mean_gap = 1.0 / ((servers == 1u ? 0.8 : 0.9) * (double)servers);

    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    cmb_logger_flags_off(CMB_LOGGER_INFO);
    cmb_random_initialize(strtoull(argv[3], NULL, 10));
    cmb_event_queue_initialize(0.0);
    model.line = cmb_objectqueue_create();
    cmb_objectqueue_initialize(model.line, "line", CMB_UNLIMITED);
    start("arrivals", send_customers);
    for (uint64_t i = 0u; i < servers; ++i) {
        start("server", serve);
    }
    cmb_event_queue_execute();
    clock_gettime(CLOCK_MONOTONIC, &end);

    printf("{\"name\": \"cimba processes\", \"count\": %" PRIu64 ", \"seconds\": %.9f, "
           "\"answer\": %.17g}\n",
           model.departed,
           (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
           model.sojourns / (double)model.departed);
}
