import { isLockError } from '../../src/index.ts';
import type { Election, Lease, Leader, Lockable } from '../../src/index.ts';
import { transfer, rests } from './lease-ends.ts';
import { ttl } from './stores.ts';
import type { SimulatedProcess, World } from '../../src/testing/index.ts';
import type { Holds, ObjectScenario, Part } from './holds.ts';

/** Takes `lockable` in one of its four ways, and holds it for a while. */
function use(
  world: World,
  holds: Holds,
  process: SimulatedProcess,
  what: string,
  lockable: Lockable,
  parts: (lease: Lease) => readonly Part[],
  during: (lease: Lease) => Promise<unknown> = async () => {},
): void {
  const wait = world.pick([Infinity, Infinity, Infinity, 80, 0]);
  const renew = world.integer(5) > 0;
  const hold = world.integer(120);
  const work = (lease: Lease): Promise<void> =>
    holds.under(
      process,
      lease,
      () => parts(lease),
      async () => {
        await process.pause(hold / 2);
        await during(lease);
        await process.pause(hold / 2);
      },
    );
  const way = world.integer(4);
  process.run(`${what}, wait ${wait}, way ${way}`, async () => {
    const options = { wait, renew };
    if (way === 0) return await lockable.withLock(options, work);
    if (way === 1) return await lockable.tryWithLock(options, work);
    const lease = way === 2 ? await lockable.acquire(options) : await lockable.tryAcquire(options);
    if (lease === null) return undefined;
    try {
      return await work(lease);
    } finally {
      await lease.release();
    }
  });
}

const readWriteLock: ObjectScenario = (world, holds) => ({
  step(process) {
    const key = world.pick(['a', 'a', 'b']);
    const { read, write } = process.locks.readWriteLock(key);
    const parts = ({ mode }: Lease): readonly Part[] => [{ key, mode }];
    switch (world.integer(3)) {
      case 0:
        use(world, holds, process, `write ${key}`, write, parts);
        break;
      case 1:
        use(world, holds, process, `write and downgrade ${key}`, write, parts, (lease) => lease.downgrade());
        break;
      default:
        use(world, holds, process, `read ${key}`, read, parts);
    }
  },
});

const semaphore: ObjectScenario = (world, holds) => ({
  step(process) {
    // One process has the next number already.
    const permits = process === world.processes[0] ? 6 : 4;
    const count = world.pick([1, 1, 2, 3, 3, 4]);
    const lockable = process.locks.semaphore('pool', permits).take(count);
    use(world, holds, process, `take ${count}`, lockable, ({ key, mode }) => [{ key, mode, count, permits }]);
  },
});

const multiLock: ObjectScenario = (world, holds) => ({
  step(process) {
    const keys = ['a', 'b', 'c', 'd'].filter(() => world.integer(2) === 0);
    if (keys.length === 0) keys.push('c');
    const wanted = world.integer(2) === 0 ? keys : keys.toReversed();
    const parts = (): readonly Part[] => keys.map((key) => ({ key, mode: 'exclusive' }));
    use(world, holds, process, `all of ${wanted.join()}`, process.locks.multiLock(wanted), parts);
  },
});

/** Calls inside of calls: those that would wait for themselves are refused, and no others. */
const nested: ObjectScenario = (world, holds) => ({
  step(process) {
    const [first, second] = world.pick<readonly [string, string]>([
      ['a', 'a'],
      ['a', 'b'],
      ['b', 'b'],
      ['a', 'a'],
    ]);
    const part = (key: string) => (): readonly Part[] => [{ key, mode: 'exclusive' }];
    const { locks } = process;
    process.run(`${second} in ${first}`, async (label) => {
      await locks.mutex(first).withLock((outer) =>
        holds.under(process, outer, part(first), async () => {
          await process.pause(world.integer(40));
          try {
            await locks.mutex(second).withLock((inner) =>
              holds.under(process, inner, part(second), async () => {
                if (first === second && outer.held) world.report(`${label}: two leases of one key`);
                await process.pause(world.integer(40));
              }),
            );
          } catch (error) {
            if (!isLockError(error, 'LOCK_DEADLOCK')) throw error;
            if (first !== second) world.report(`${label} is refused, and is no deadlock`);
          }
        }),
      );
    });
  },
});

/** Calls inside of calls that take part in the lease of the outer one. */
const reentrant: ObjectScenario = (world, holds) => ({
  step(process) {
    const key = world.pick(['a', 'a', 'b']);
    const { locks } = process;
    const depth = 1 + world.integer(3);
    process.run(`${key}, ${depth} times`, async (label) => {
      const enter = async (outer: Lease, left: number): Promise<void> => {
        await process.pause(world.integer(40));
        if (left > 0) {
          await locks.withLock(key, { reentrant: true }, async (inner) => {
            if (inner.owner !== outer.owner || inner.token !== outer.token) world.report(`${label} has two leases`);
            await enter(inner, left - 1);
          });
          if (outer.held !== outer.remaining > 0) world.report(`${label}: held and remaining disagree`);
        }
        await process.pause(world.integer(40));
      };
      await locks.withLock(key, { reentrant: true }, (outer) =>
        holds.under(
          process,
          outer,
          () => [{ key, mode: 'exclusive' }],
          () => enter(outer, depth),
        ),
      );
    });
  },
});

/** Leads until its signal aborts, sometimes with an error. */
const election: ObjectScenario = (world, holds) => {
  const tokens = new Map<string, bigint>();
  const seen = world.processes.map((): Leader[] => []);
  let candidates: readonly Election[] | undefined;
  const start = (process: SimulatedProcess, index: number): Election => {
    const follow = async (): Promise<void> => {
      for await (const leader of process.locks.leadership('job', { poll: 40 })) {
        if (leader !== null) seen[index]?.push(leader);
      }
    };
    void follow();
    const lead = async (lease: Lease): Promise<void> => {
      tokens.set(lease.owner, lease.token);
      await holds.under(
        process,
        lease,
        () => [{ key: 'job', mode: 'exclusive' }],
        () => new Promise<void>((resolve) => lease.signal.addEventListener('abort', () => resolve())),
      );
      if (world.integer(3) === 0) throw lease.signal.reason;
    };
    return process.locks.elect('job', lead, { cooldown: 50, poll: 40 });
  };
  return {
    step(process) {
      candidates ??= world.processes.map(start);
      const candidate = candidates[world.processes.indexOf(process)]!;
      if (world.integer(2) === 0) process.run('resigns', () => candidate.resign());
    },
    async end() {
      await world.advance(4 * ttl);
      if (candidates?.some(({ leading }, index) => leading && world.processes[index]!.alive) === false) {
        world.report('no process leads');
      }
      for (const leaders of seen) {
        const order = leaders.map(({ token }) => token ?? 0n);
        const sorted = [...new Set(order)].toSorted((one, other) => (one < other ? -1 : 1));
        if (String(order) !== String(sorted)) world.report(`an observer saw ${order.join()}`);
      }
      candidates?.forEach((candidate, index) => {
        const process = world.processes[index]!;
        if (process.alive) process.run('stops', () => candidate.stop());
      });
    },
  };
};

/** By the name of what is used. */
export const scenarios = {
  'read/write locks': readWriteLock,
  semaphores: semaphore,
  'multi-locks': multiLock,
  'nested calls': nested,
  'reentrant calls': reentrant,
  elections: election,
  'hand-overs': transfer,
  'keys that rest': rests,
} as const satisfies Readonly<Record<string, ObjectScenario>>;
