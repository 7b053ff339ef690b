import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Curator's InterProcessMutex under measurement: one client, so one session, whatever the number of threads. Driven over standard input and
 * output, a line per command and a line of JSON per answer; see ../peer.ts for what they are. Arguments: connect string, session timeout in ms.
 * Ends with its standard input.
 */
public final class CuratorPeer {
    private static final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final Map<String, InterProcessMutex> mutexes = new ConcurrentHashMap<>();
    private static final Queue<Claim> claims = new ConcurrentLinkedQueue<>();
    private static final AtomicInteger grants = new AtomicInteger();
    private static final AtomicInteger failures = new AtomicInteger();
    private static final AtomicReference<String> firstFailure = new AtomicReference<>();

    public static void main(String[] args) throws Exception {
        CuratorFramework client = CuratorFrameworkFactory.newClient(
            args[0], Integer.parseInt(args[1]), 15_000, new ExponentialBackoffRetry(1_000, 3));
        client.start();
        if (!client.blockUntilConnected(30, TimeUnit.SECONDS)) throw new IllegalStateException("no connection to " + args[0]);
        answer("{\"ready\":true}");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "pairs" -> pairs(client, words[1], Integer.parseInt(words[2]), Long.parseLong(words[3]));
                case "contend" -> contend(
                    client, words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]),
                    Long.parseLong(words[4]), Long.parseLong(words[5]));
                case "measure" -> {
                    grants.set(0);
                    failures.set(0);
                }
                case "grants" -> answer("{\"grants\":" + grants.get() + "}");
                case "report" -> report();
                default -> throw new IllegalArgumentException(line);
            }
        }
        // Its session ends at once, instead of with its timeout.
        client.close();
        System.exit(0);
    }

    /** Each thread acquires and releases a lock of its own for so many ms. */
    private static void pairs(CuratorFramework client, String prefix, int threads, long ms) throws InterruptedException {
        Queue<double[]> latencies = new ConcurrentLinkedQueue<>();
        CountDownLatch done = new CountDownLatch(threads);
        failures.set(0);
        firstFailure.set(null);
        long cpu = system.getProcessCpuTime();
        double start = now();
        for (int worker = 0; worker < threads; worker += 1) {
            InterProcessMutex mutex = mutex(client, prefix + "/" + worker);
            new Thread(() -> {
                double last = now();
                while (last < start + ms) {
                    double acquired = last;
                    try {
                        mutex.acquire();
                        acquired = now();
                        mutex.release();
                    } catch (Exception error) {
                        failed(error);
                        last = now();
                        continue;
                    }
                    double after = now();
                    latencies.add(new double[] {acquired - last, after - last});
                    last = after;
                }
                done.countDown();
            }).start();
        }
        done.await();
        double took = now() - start;
        double cpuMicroseconds = (system.getProcessCpuTime() - cpu) / 1e3;
        answer(String.format(
            Locale.ROOT, "{\"took\":%.3f,\"cpuMicroseconds\":%.0f,\"acquires\":[%s],\"latencies\":[%s],%s}", took, cpuMicroseconds,
            latencies.stream().map(pair -> number(pair[0])).collect(Collectors.joining(",")),
            latencies.stream().map(pair -> number(pair[1])).collect(Collectors.joining(",")), failuresAsJson()));
    }

    /** So many threads want one lock, each so often (0: without end), and hold it for so many ms. */
    private static void contend(CuratorFramework client, String path, int threads, int firstWorker, long turns, long hold) {
        CountDownLatch done = new CountDownLatch(threads);
        for (int index = 0; index < threads; index += 1) {
            int worker = firstWorker + index;
            InterProcessMutex mutex = new InterProcessMutex(client, path);
            Thread thread = new Thread(() -> {
                for (long turn = 0; turns == 0 || turn < turns;) {
                    Claim claim = new Claim(worker, now());
                    claims.add(claim);
                    try {
                        mutex.acquire();
                        claim.grantedAt = now();
                        grants.incrementAndGet();
                        turn += 1;
                        if (hold > 0) Thread.sleep(hold);
                        claim.releasedAt = now();
                        mutex.release();
                    } catch (Exception error) {
                        failed(error);
                        if (claim.grantedAt < 0) claims.remove(claim);
                    }
                }
                done.countDown();
                if (done.getCount() == 0) answer("{\"done\":true}");
            });
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void report() {
        String all = claims.stream().map(Claim::asJson).collect(Collectors.joining(","));
        answer(String.format(Locale.ROOT, "{\"claims\":[%s],%s}", all, failuresAsJson()));
    }

    private static InterProcessMutex mutex(CuratorFramework client, String path) {
        return mutexes.computeIfAbsent(path, (key) -> new InterProcessMutex(client, key));
    }

    private static void failed(Exception error) {
        failures.incrementAndGet();
        firstFailure.compareAndSet(null, error.toString());
    }

    private static String failuresAsJson() {
        String first = firstFailure.get();
        if (first == null) return "\"failures\":" + failures.get();
        String text = first.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ");
        return "\"failures\":" + failures.get() + ",\"firstFailure\":\"" + text + "\"";
    }

    /** Ms on the clock that all processes of a machine share. */
    private static double now() {
        return System.nanoTime() / 1e6;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.4f", value);
    }

    private static synchronized void answer(String line) {
        System.out.println(line);
    }

    private static final class Claim {
        private final int worker;
        private final double calledAt;
        private volatile double grantedAt = -1;
        private volatile double releasedAt = -1;

        private Claim(int worker, double calledAt) {
            this.worker = worker;
            this.calledAt = calledAt;
        }

        /** What has not happened yet is -1. */
        private String asJson() {
            return worker + "," + number(calledAt) + "," + number(grantedAt) + "," + number(releasedAt);
        }
    }
}
