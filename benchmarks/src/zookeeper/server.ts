import { readFile } from 'node:fs/promises';
import { fourLetterWord, startZookeeper } from '@locks/test-servers';

/** The server under measurement, seen from outside. */
export interface Server extends AsyncDisposable {
  readonly url: string;
  readonly version: string;
  /** Requests that clients have sent since its start, pings and handshakes among them. */
  requests(): Promise<number>;
  /** How many watches of nodes there are. */
  watches(): Promise<number>;
  /** CPU time since its start, in µs; `undefined` without /proc, or without a process of ours. */
  cpuMicroseconds(): Promise<number | undefined>;
}

/** As in production, not as for tests: memory, and optimizing compilation. */
const usualJava = ['-Xms512m', '-Xmx1g', '-XX:TieredStopAtLevel=4', '-XX:+UseG1GC', '-XX:-UseSerialGC'];

/** `forceSync`: it syncs to the disk before it answers a write, as by default. */
export async function openServer(forceSync: boolean = true): Promise<Server> {
  const server = await startZookeeper({
    javaOptions: usualJava,
    javaProperties: { 'zookeeper.forceSync': forceSync ? 'yes' : 'no' },
  });
  const first = await fourLetterWord(server, 'mntr');
  // Each query counts as a request, too.
  let asked = 1;
  const read = async (name: string): Promise<number> => {
    const answer = await fourLetterWord(server, 'mntr', 10_000);
    asked += 1;
    return Number(new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(answer)?.[1]);
  };
  return {
    url: server.url,
    version: /^zk_version\s+([\d.]+)/m.exec(first)?.[1] ?? 'unknown',
    requests: async () => (await read('zk_packets_received')) - asked,
    watches: () => read('zk_watch_count'),
    cpuMicroseconds: () => cpuOf(server.pid),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Of Linux, on all machines that Node runs on: 100 ticks are a second. */
const microsecondsPerTick = 10_000;

async function cpuOf(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field is a name, which may have blanks; utime and stime are the 14th and 15th.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
}
