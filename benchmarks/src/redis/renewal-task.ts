import { createLocks } from '@locks/core';
import type { Lease } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import type { Redis } from 'ioredis';
import { Mutex } from 'redis-semaphore';
import { now, sleep } from '../measure/clock.ts';
import { serveTask } from '../measure/tasks.ts';
import { connect } from './counting-client.ts';
import { serverCpu } from './server-statistics.ts';

export interface RenewalInput {
  readonly url: string;
  readonly subject: string;
  readonly leases: number;
  readonly ttl: number;
  readonly window: number;
}

/** What it cost; CPU in ms per second. */
export interface RenewalOutput {
  readonly clientCpu: number;
  readonly serverCpu: number;
  readonly commandsPerSecond: number;
  readonly lost: number;
}

/** Holds `leases` locks, and returns how many of them were lost. */
type Hold = (client: Redis, input: RenewalInput) => Promise<() => number>;

const holds: Readonly<Record<string, Hold>> = {
  async '@locks'(client, { leases, ttl }) {
    const locks = createLocks(createRedisProvider(client), { ttl });
    const held: Lease[] = [];
    await inParallel(leases, async (index) => void held.push(await locks.acquire(`held/${index}`)));
    return () => leases - held.filter((lease) => lease.held).length;
  },
  async 'redis-semaphore'(client, { leases, ttl }) {
    let lost = 0;
    const onLockLost = (): void => void (lost += 1);
    const options = { lockTimeout: ttl, refreshInterval: ttl / 3, acquireTimeout: Infinity, onLockLost };
    await inParallel(leases, (index) => new Mutex(client, `held/${index}`, options).acquire());
    return () => lost;
  },
  'idle connection': async () => () => 0,
};

serveTask(async (input: RenewalInput): Promise<RenewalOutput> => {
  const { client, counter } = await connect(input.url);
  const control = client.duplicate();
  await control.connect();
  const hold = holds[input.subject];
  if (hold === undefined) throw new Error(`${input.subject} does not renew`);
  const lost = await hold(client, input);
  // A whole round of renewals first.
  await sleep(input.ttl / 3);
  const serverBefore = await serverCpu(control);
  counter.reset();
  const clientBefore = process.cpuUsage();
  const start = now();
  await sleep(input.window);
  const { user, system } = process.cpuUsage(clientBefore);
  const seconds = (now() - start) / 1_000;
  const commands = counter.total;
  return {
    clientCpu: (user + system) / 1_000 / seconds,
    serverCpu: ((await serverCpu(control)) - serverBefore) / seconds,
    commandsPerSecond: commands / seconds,
    lost: lost(),
  };
});

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 64 }, worker));
}
