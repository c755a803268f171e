#include "analysis/mmpp.h"

#include <cmath>

#include "analysis/mm1.h"
#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

MmppM1 two_states(double first, double second, double there, double back, double mu = 1) {
  return {.arrival_rates = {first, second},
          .switching_rates = {{0, there}, {back, 0}},
          .service_rate = mu};
}

// Values by logarithmic reduction in 60 digits; the generating function's roots agree.
TEST(MmppM1, two_states_at_four_fifths) {
  const MmppM1 queue = two_states(0.4, 1.6, 0.1, 0.2);
  const MmppM1Answers result = answers(queue);
  expect_relative(result.mean_arrival_rate, 0.8);
  expect_relative(result.utilization, 0.8);
  expect_relative(result.empty_probability, 0.2);
  expect_relative(result.mean_number, 8.4761590757601668351);
  expect_relative(result.mean_waiting, 7.6761590757601668351);
  expect_relative(result.mean_sojourn, 10.595198844700208544);
  expect_relative(result.mean_wait, 9.595198844700208544);
  expect_relative(result.decay, 0.91255151283588235081);
  expect_relative(result.wait_probability, 0.86428806931798748737);
  expect_relative(number_tail(queue, 20), 0.11742999621783249723);
  expect_relative(number_tail(queue, 200), 8.2434525220536675188e-9);
  expect_relative(arrival_tail(queue, 20), 0.13395115085152879862);
  expect_relative(arrival_tail(queue, 0), 0.86428806931798748737);
  expect_relative(number_tail(queue, 0), 0.8);
  EXPECT_EQ(number_tail(queue, -1), 1);
  EXPECT_EQ(number_tail(queue, INT64_MAX), 0);
}

TEST(MmppM1, slow_bursts) {
  const MmppM1 cycle{.arrival_rates = {0.9, 0, 12.0989},
                     .switching_rates = {{0, 1e-4, 0}, {0, 0, 1e-3}, {1e-2, 0, 0}},
                     .service_rate = 1};
  const MmppM1Answers result = answers(cycle);
  expect_relative(result.mean_number, 1305.7096459997229921);
  expect_relative(result.decay, 0.99950069319466007335);
  expect_relative(result.wait_probability, 0.97011989800573496782);
  expect_relative(number_tail(cycle, 200), 0.58876998852020083899);
}

TEST(MmppM1, slow_bursts_near_saturation) {
  // Load 1 - 7.9e-5: the digits of 1 - rho are those of the inputs, fewer by four.
  const MmppM1Answers cycle =
      answers(MmppM1{.arrival_rates = {0, 5, 94},
                     .switching_rates = {{0, 1e-4, 0}, {0, 0, 1e-3}, {1e-2, 0, 0}},
                     .service_rate = 1.2974});
  expect_relative(cycle.mean_number, 117531531.4076228527);
  expect_relative(cycle.empty_probability, 0.000079160399801682366813);
  const MmppM1Answers slow = answers(two_states(0, 2, 1e-7, 1e-7, 1.0001));
  expect_relative(slow.mean_number, 49995010001.00009981);
  expect_relative(slow.mean_sojourn, 49995010001.00009981);
  expect_relative(slow.decay, 0.9999999999800000038, 1e-15);
}

TEST(MmppM1, fast_switching_is_nearly_poisson) {
  const MmppM1 queue{.arrival_rates = {0.5, 1.5, 0.7},
                     .switching_rates = {{0, 1e5, 2e4}, {3e5, 0, 1}, {7, 2e5, 0}},
                     .service_rate = 1};
  const MmppM1Answers result = answers(queue);
  expect_relative(result.mean_number, 3.5454351042507363633);
  expect_relative(number_tail(queue, 200), 2.0460342022496011079e-22);
  expect_relative(
      result.mean_number,
      answers(Mm1{.arrival_rate = result.mean_arrival_rate, .service_rate = 1})
          .mean_number,
      1e-4);
}

// Arrivals that are on and off are renewals, hyperexponential ones: an arrival finds n or
// more with probability sigma^n, sigma the root of sigma = A*(mu (1 - sigma)).
TEST(MmppM1, on_and_off_is_a_queue_of_renewals) {
  const double lambda = 2;
  const double off = 0.3;
  const double on = 0.2;
  double sigma = 0.5;
  for (int k = 0; k < 2000; ++k) {
    const double s = 1 - sigma;
    sigma = lambda * (s + on) / ((s + lambda + off) * (s + on) - off * on);
  }
  const MmppM1 queue = two_states(lambda, 0, off, on);
  const MmppM1Answers result = answers(queue);
  expect_relative(result.decay, sigma);
  expect_relative(result.wait_probability, sigma);
  expect_relative(arrival_tail(queue, 49), std::pow(sigma, 50));
  expect_relative(result.mean_wait, sigma / (1 - sigma));
  expect_relative(result.mean_number, 12.511528238439882555);
}

TEST(MmppM1, one_state_or_equal_rates_is_mm1) {
  for (const double rho : {0.1, 0.9, 0.9999}) {
    const Mm1Answers plain = answers(Mm1{.arrival_rate = rho, .service_rate = 1});
    const MmppM1 one{.arrival_rates = {rho}, .switching_rates = {{0}}, .service_rate = 1};
    for (const MmppM1& queue : {one, two_states(rho, rho, 0.01, 3)}) {
      const MmppM1Answers result = answers(queue);
      expect_relative(result.mean_number, plain.mean_number);
      expect_relative(result.mean_wait, plain.mean_wait);
      expect_relative(result.decay, rho);
      expect_relative(result.wait_probability, rho);
      expect_relative(number_tail(queue, 7), std::pow(rho, 8));
    }
  }
}

TEST(MmppM1, light_load_keeps_its_digits) {
  // Both arrivals of two that meet must come in one state: Lq = E[lambda^2] / mu^2 + …
  // for switching far slower than service.
  const MmppM1Answers result = answers(two_states(1e-9, 3e-9, 1e-6, 1e-6));
  expect_relative(result.mean_waiting, 5e-18, 1e-5);
  expect_relative(result.mean_number, 2e-9, 1e-8);
}

TEST(MmppM1, units_do_not_matter) {
  const MmppM1Answers result = answers(two_states(0.4e9, 1.6e9, 0.1e9, 0.2e9, 1e9));
  expect_relative(result.mean_number, 8.4761590757601668351);
  expect_relative(result.mean_sojourn, 10.595198844700208544e-9);
}

TEST(MmppM1, ring_of_fifty_states) {
  MmppM1 ring{.arrival_rates = std::vector<double>(50, 0.0),
              .switching_rates =
                  std::vector<std::vector<double>>(50, std::vector<double>(50, 0.0)),
              .service_rate = 1};
  for (std::size_t i = 0; i < 50; ++i) {
    ring.arrival_rates[i] = i % 2 == 0 ? 0.4 : 1.4;
    ring.switching_rates[i][(i + 1) % 50] = 0.1;
    ring.switching_rates[i][(i + 49) % 50] = 0.1;
  }
  // Lumps into two states.
  const MmppM1Answers lumped = answers(two_states(0.4, 1.4, 0.2, 0.2));
  const MmppM1Answers result = answers(ring);
  expect_relative(result.mean_number, lumped.mean_number);
  expect_relative(result.decay, lumped.decay);
}

TEST(MmppM1, names_the_reason_where_there_is_no_answer) {
  EXPECT_THROW(answers(two_states(1, 1, 1, 1)), NoAnswer);
  EXPECT_THROW(answers(two_states(0, 0, 1, 1)), NoAnswer);
  EXPECT_THROW(answers(two_states(0.1, 0.2, 1, 0)), NoAnswer) << "reducible";
  EXPECT_THROW(answers(two_states(0.1, 0.2, 0, 1)), NoAnswer);
  EXPECT_THROW(answers(two_states(0.1, -0.2, 1, 1)), NoAnswer);
  EXPECT_THROW(answers(two_states(0.1, 0.2, 1, std::nan(""))), NoAnswer);
  EXPECT_THROW(answers(two_states(0.1, 0.2, 1, 1, 0)), NoAnswer);
  EXPECT_THROW(answers(MmppM1{}), NoAnswer);
  EXPECT_THROW(answers(MmppM1{.arrival_rates = {1}, .switching_rates = {}}), NoAnswer);
  EXPECT_THROW(answers(MmppM1{.arrival_rates = {1, 2}, .switching_rates = {{0, 1}, {1}}}),
               NoAnswer);
}

}  // namespace
}  // namespace basin
