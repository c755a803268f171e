import java.util.ArrayDeque;
import umontreal.ssj.randvar.ExponentialGen;
import umontreal.ssj.rng.LFSR113;
import umontreal.ssj.rng.RandomStream;
import umontreal.ssj.simevents.Event;
import umontreal.ssj.simevents.Simulator;
import umontreal.ssj.simevents.eventlist.BinaryTree;
import umontreal.ssj.simevents.eventlist.Henriksen;

/**
 * SSJ: M/M/c by events alone (A, C25, C2500), and with a cancelled timer for each customer
 * (B). SSJ has the events and the random numbers; the line is a deque.
 */
public final class Events {
  private static final double PATIENCE = 30;

  private final Simulator simulator;
  private final ArrayDeque<Customer> line = new ArrayDeque<>();
  private final RandomStream random;
  private final ExponentialGen gap;
  private final ExponentialGen work;
  private final long customers;
  private final boolean timed;
  private int idle;
  private long departed;
  private long fired;
  private double sojourns;

  private Events(int servers, long customers, boolean timed, int seed) {
    LFSR113.setPackageSeed(new int[] {seed + 1000, seed + 2000, seed + 3000, seed + 4000});
    random = new LFSR113();
    gap = new ExponentialGen(random, (servers == 1 ? 0.8 : 0.9) * servers);
    work = new ExponentialGen(random, 1.0);
    // The fastest of SSJ's event lists here: its default, a splay tree, takes half as long again.
    simulator = new Simulator(servers == 1 ? new BinaryTree() : new Henriksen());
    idle = servers;
    this.customers = customers;
    this.timed = timed;
  }

  /** Its own departure, and with B its own timer. */
  private final class Customer extends Event {
    private final double arrival = simulator.time();
    private Event timer;

    Customer() {
      super(simulator);
    }

    @Override
    public void actions() {
      sojourns += simulator.time() - arrival;
      if (timer != null) {
        timer.cancel();
      }
      if (++departed == customers) {
        simulator.stop();
      }
      final Customer next = line.poll();
      if (next == null) {
        ++idle;
      } else {
        next.schedule(work.nextDouble());
      }
    }
  }

  private final class Arrival extends Event {
    Arrival() {
      super(simulator);
    }

    @Override
    public void actions() {
      final Customer customer = new Customer();
      if (timed) {
        customer.timer = new Timer();
        customer.timer.schedule(PATIENCE);
      }
      if (idle > 0) {
        --idle;
        customer.schedule(work.nextDouble());
      } else {
        line.add(customer);
      }
      schedule(gap.nextDouble());
    }
  }

  private final class Timer extends Event {
    Timer() {
      super(simulator);
    }

    @Override
    public void actions() {
      ++fired;
    }
  }

  private void run() {
    simulator.init();
    new Arrival().schedule(gap.nextDouble());
    simulator.start();
  }

  public static void main(String[] words) {
    final String workload = words[0];
    final int servers = workload.startsWith("C") ? Integer.parseInt(workload.substring(1)) : 1;
    final Events model =
        new Events(servers, Long.parseLong(words[1]), workload.equals("B"),
                   Integer.parseInt(words[2]));
    final long start = System.nanoTime();
    model.run();
    final double seconds = (System.nanoTime() - start) * 1e-9;
    System.out.printf(
        "{\"name\": \"SSJ\", \"count\": %d, \"seconds\": %.9f, \"answer\": %.17g,"
            + " \"also\": {\"fired\": %.17g}}%n",
        model.departed, seconds, model.sojourns / model.departed,
        (double) model.fired / model.departed);
  }
}
