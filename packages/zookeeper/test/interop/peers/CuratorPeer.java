import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;

/**
 * Locks of Curator, driven over standard input and output, one line per command and answer; see ../support/peer.ts for what they are.
 * Arguments: connect string, session timeout in ms. It ends with its standard input.
 */
public final class CuratorPeer {
    private static final Map<String, CountDownLatch> releases = new ConcurrentHashMap<>();

    public static void main(String[] args) throws Exception {
        int timeout = Integer.parseInt(args[1]);
        CuratorFramework client = CuratorFrameworkFactory.newClient(args[0], timeout, 15_000, new RetryOneTime(100));
        client.start();
        if (!client.blockUntilConnected(30, TimeUnit.SECONDS)) throw new IllegalStateException("no connection to " + args[0]);
        answer("0 ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            if (words[1].equals("release")) {
                releases.get(words[0]).countDown();
            } else {
                releases.put(words[0], new CountDownLatch(1));
                // A thread each: a mutex belongs to the thread that acquired it.
                new Thread(() -> serve(client, words)).start();
            }
        }
        client.close();
        System.exit(0);
    }

    private static void serve(CuratorFramework client, String[] words) {
        String id = words[0];
        try {
            Lock lock = lock(client, words[2], words[3], Integer.parseInt(words[4]));
            if (words[1].equals("acquire")) {
                if (lock.acquire(Long.parseLong(words[5]))) {
                    answer(id + " acquired");
                    releases.get(id).await();
                    lock.release();
                    answer(id + " released");
                } else {
                    answer(id + " timeout");
                }
            } else {
                int most = 0;
                for (int round = Integer.parseInt(words[6]); round > 0; round--) {
                    if (!lock.acquire(60_000)) throw new IllegalStateException("not acquired within 60 s");
                    most = Math.max(most, words[1].equals("contend") ? visit(client, words[5]) : inside(client, words[5]));
                    lock.release();
                }
                answer(id + " done " + most);
            }
        } catch (Throwable error) {
            answer(id + " error " + String.valueOf(error).replace('\n', ' '));
        }
    }

    /** Adds one to the number in a node, without a check of its version; how many are inside with us. */
    private static int visit(CuratorFramework client, String path) throws Exception {
        String own = client.create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(path + "/inside-");
        int inside = inside(client, path);
        int count = Integer.parseInt(new String(client.getData().forPath(path), StandardCharsets.UTF_8));
        client.setData().forPath(path, String.valueOf(count + 1).getBytes(StandardCharsets.UTF_8));
        client.delete().forPath(own);
        return inside;
    }

    private static int inside(CuratorFramework client, String path) throws Exception {
        return client.getChildren().forPath(path).size();
    }

    private interface Lock {
        boolean acquire(long wait) throws Exception;

        void release() throws Exception;
    }

    private static Lock lock(CuratorFramework client, String kind, String path, int permits) {
        switch (kind) {
            case "InterProcessMutex":
                return simple(new InterProcessMutex(client, path));
            case "InterProcessReadWriteLock.read":
                return simple(new InterProcessReadWriteLock(client, path).readLock());
            case "InterProcessReadWriteLock.write":
                return simple(new InterProcessReadWriteLock(client, path).writeLock());
            case "InterProcessSemaphoreV2":
                InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, path, permits);
                return new Lock() {
                    private Lease lease;

                    public boolean acquire(long wait) throws Exception {
                        lease = semaphore.acquire(wait, TimeUnit.MILLISECONDS);
                        return lease != null;
                    }

                    public void release() throws Exception {
                        semaphore.returnLease(lease);
                    }
                };
            default:
                throw new IllegalArgumentException("no lock is called " + kind);
        }
    }

    private static Lock simple(InterProcessLock lock) {
        return new Lock() {
            public boolean acquire(long wait) throws Exception {
                return lock.acquire(wait, TimeUnit.MILLISECONDS);
            }

            public void release() throws Exception {
                lock.release();
            }
        };
    }

    private static synchronized void answer(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
