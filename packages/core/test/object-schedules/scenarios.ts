import { LockError, isLockError } from '../../src/index.ts';
import type { Lease, Leader, Lockable } from '../../src/index.ts';
import { ttl } from './world.ts';
import type { ObjectWorld, Part, Process } from './world.ts';

/** What processes do with one kind of object, one step of it. The last step ends it. */
export type Scenario = (world: ObjectWorld) => { step(process: Process): void; end?(): Promise<void> };

/** Takes `lockable` in one of its four ways, and holds it for a while. */
function use(
  world: ObjectWorld,
  process: Process,
  what: string,
  lockable: Lockable,
  parts: (lease: Lease) => readonly Part[],
  during: (lease: Lease) => Promise<unknown> = async () => {},
): void {
  const wait = world.pick([Infinity, Infinity, Infinity, 80, 0]);
  const renew = world.integer(5) > 0;
  const hold = world.integer(120);
  const work = (lease: Lease): Promise<void> =>
    world.under(
      process,
      lease,
      () => parts(lease),
      async () => {
        await world.pause(process, hold / 2);
        await during(lease);
        await world.pause(process, hold / 2);
      },
    );
  const way = world.integer(4);
  world.call(process, `${what}, wait ${wait}, way ${way}`, async () => {
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

const readWriteLock: Scenario = (world) => ({
  step(process) {
    const key = world.pick(['a', 'a', 'b']);
    const { read, write } = process.locks.readWriteLock(key);
    const parts = ({ mode }: Lease): readonly Part[] => [{ key, mode }];
    switch (world.integer(3)) {
      case 0:
        use(world, process, `write ${key}`, write, parts);
        break;
      case 1:
        use(world, process, `write and downgrade ${key}`, write, parts, (lease) => lease.downgrade());
        break;
      default:
        use(world, process, `read ${key}`, read, parts);
    }
  },
});

const semaphore: Scenario = (world) => ({
  step(process) {
    // One process has the next number already.
    const permits = process === world.processes[0] ? 6 : 4;
    const count = world.pick([1, 1, 2, 3, 3, 4]);
    const lockable = process.locks.semaphore('pool', permits).take(count);
    use(world, process, `take ${count}`, lockable, ({ key, mode }) => [{ key, mode, count, permits }]);
  },
});

const multiLock: Scenario = (world) => ({
  step(process) {
    const keys = ['a', 'b', 'c', 'd'].filter(() => world.integer(2) === 0);
    if (keys.length === 0) keys.push('c');
    const wanted = world.integer(2) === 0 ? keys : keys.toReversed();
    const parts = (): readonly Part[] => keys.map((key) => ({ key, mode: 'exclusive' }));
    use(world, process, `all of ${wanted.join()}`, process.locks.multiLock(wanted), parts);
  },
});

/** Calls inside of calls: those that would wait for themselves are refused, and no others. */
const nested: Scenario = (world) => ({
  step(process) {
    const [first, second] = world.pick<readonly [string, string]>([
      ['a', 'a'],
      ['a', 'b'],
      ['b', 'b'],
      ['a', 'a'],
    ]);
    const part = (key: string) => (): readonly Part[] => [{ key, mode: 'exclusive' }];
    const { locks } = process;
    world.call(process, `${second} in ${first}`, async (label) => {
      await locks.mutex(first).withLock((outer) =>
        world.under(process, outer, part(first), async () => {
          await world.pause(process, world.integer(40));
          try {
            await locks.mutex(second).withLock((inner) =>
              world.under(process, inner, part(second), async () => {
                if (first === second && outer.held) world.report(`${label}: two leases of one key`);
                await world.pause(process, world.integer(40));
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
const reentrant: Scenario = (world) => ({
  step(process) {
    const key = world.pick(['a', 'a', 'b']);
    const { locks } = process;
    const depth = 1 + world.integer(3);
    world.call(process, `${key}, ${depth} times`, async (label) => {
      const enter = async (outer: Lease, left: number): Promise<void> => {
        await world.pause(process, world.integer(40));
        if (left > 0) {
          await locks.withLock(key, { reentrant: true }, async (inner) => {
            if (inner.owner !== outer.owner || inner.token !== outer.token) world.report(`${label} has two leases`);
            await enter(inner, left - 1);
          });
          if (outer.held !== outer.remaining > 0) world.report(`${label}: held and remaining disagree`);
        }
        await world.pause(process, world.integer(40));
      };
      await locks.withLock(key, { reentrant: true }, (outer) =>
        world.under(
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
const election: Scenario = (world) => {
  const tokens = new Map<string, bigint>();
  const seen = world.processes.map((): Leader[] => []);
  const candidates = world.processes.map((process, index) => {
    const follow = async (): Promise<void> => {
      for await (const leader of process.locks.leadership('job', { poll: 40 })) {
        if (leader !== null) seen[index]?.push(leader);
      }
    };
    void follow();
    const lead = async (lease: Lease): Promise<void> => {
      tokens.set(lease.owner, lease.token);
      await world.under(
        process,
        lease,
        () => [{ key: 'job', mode: 'exclusive' }],
        () => new Promise<void>((resolve) => lease.signal.addEventListener('abort', () => resolve())),
      );
      if (world.integer(3) === 0) throw lease.signal.reason;
    };
    return process.locks.elect('job', lead, { rest: 50, poll: 40 });
  });
  return {
    step(process) {
      const candidate = candidates[world.processes.indexOf(process)]!;
      if (world.integer(2) === 0) world.call(process, 'resigns', () => candidate.resign());
    },
    async end() {
      world.heal();
      await world.store.advance(4 * ttl);
      if (!candidates.some(({ leading }, index) => leading && !world.processes[index]!.dead)) {
        world.report('no process leads');
      }
      for (const leaders of seen) {
        const order = leaders.map(({ token }) => token ?? 0n);
        const sorted = [...new Set(order)].toSorted((one, other) => (one < other ? -1 : 1));
        if (String(order) !== String(sorted)) world.report(`an observer saw ${order.join()}`);
      }
      candidates.forEach((candidate, index) => {
        const process = world.processes[index]!;
        if (!process.dead) world.call(process, 'stops', () => candidate.stop());
      });
    },
  };
};

/** A lease goes from process to process, which race for it; others want it, too. */
const handOver: Scenario = (world) => {
  const part = (): readonly Part[] => [{ key: 'seat', mode: 'exclusive' }];
  const hold = async (process: Process, lease: Lease, rounds: number): Promise<void> => {
    const give = async (): Promise<string | undefined> => {
      await world.pause(process, world.integer(80));
      return rounds === 0 ? undefined : await lease.handOver();
    };
    // Not handed over: it is held still, or lost.
    const text = await world.under(process, lease, part, give).catch(() => undefined);
    if (text === undefined) await lease.release();
    else {
      const { owner, token } = lease;
      for (const other of [world.pick(world.processes), world.pick(world.processes)]) {
        if (other.dead) continue;
        world.call(other, `resumes ${owner}`, async (label) => {
          const resumed = await other.locks.resume(text);
          if (resumed.token !== token || resumed.owner !== owner) world.report(`${label}: another token or owner`);
          await hold(other, resumed, rounds - 1);
        });
      }
    }
  };
  return {
    step(process) {
      const rounds = world.integer(3);
      world.call(process, `takes, for ${rounds} others`, async () => {
        await hold(process, await process.locks.acquire('seat'), rounds);
      });
    },
  };
};

/** What a lease owes the next one on its key. */
interface Debt {
  readonly atLeast: number;
  readonly lockDelay: number;
  /** When it was last seen to be held. */
  heldAt: number;
  /** Its holder gave it back. */
  clean: boolean;
}

/** Keys rest after releases, losses and deaths. */
const rests: Scenario = (world) => {
  const debts = new Map<string, Debt>();
  const hold = async (process: Process, lease: Lease, debt: Debt): Promise<void> => {
    for (let left = world.integer(8); left > 0; left -= 1) {
      if (lease.held) debt.heldAt = world.store.time;
      await world.pause(process, 20);
    }
  };
  return {
    step(process) {
      const key = world.pick(['a', 'a', 'b']);
      const atLeast = world.pick([0, 200, 900]);
      const lockDelay = world.pick([0, 0, 400]);
      const maxHold = world.pick([Infinity, Infinity, 60]);
      const wait = world.pick([Infinity, Infinity, 80, 0]);
      const options = { atLeast, lockDelay, maxHold, wait, renew: world.integer(5) > 0 };
      world.call(process, `${key} with ${JSON.stringify(options)}`, async () => {
        const lease = await process.locks.acquire(key, options);
        const debt: Debt = { atLeast, lockDelay, heldAt: world.store.time, clean: false };
        debts.set(lease.owner, debt);
        const part = (): readonly Part[] => [{ key, mode: 'exclusive' }];
        await world.under(process, lease, part, () => hold(process, lease, debt));
        debt.clean = lease.held;
        if (!process.dead) await lease.release();
      });
    },
    async end() {
      world.heal();
      await world.store.advance(4_000);
      const before = new Map<string, { readonly owner: string; readonly free: number }>();
      for (const [owner, { key, at }] of world.grants) {
        const last = before.get(key);
        if (last !== undefined && at < last.free) {
          world.report(`${owner} got hold of ${key} at ${at}, which rests after ${last.owner} until ${last.free}`);
        }
        const debt = debts.get(owner);
        if (debt === undefined) continue;
        const { atLeast, lockDelay, heldAt, clean } = debt;
        before.set(key, { owner, free: Math.max(at + atLeast, clean ? 0 : heldAt + lockDelay) });
      }
    },
  };
};

/** Runs once in slots with names, and in those of the store's clock. */
const onceEach: Scenario = (world) => {
  const every = 200;
  const keep = 4_000;
  /** When the last run of a slot was granted. */
  const runs = new Map<string, number>();
  return {
    step(process) {
      const name = world.pick(['a', 'b', undefined, undefined]);
      world.call(process, `once in ${name ?? 'a slot of the clock'}`, async (label) => {
        const fails = world.integer(5) === 0;
        const work = async ({ owner }: Lease): Promise<void> => {
          const { at } = world.grants.get(owner)!;
          const slot = name ?? `${Math.floor(world.memory.epoch(at) / every + 1 / 2)}`;
          const last = runs.get(slot) ?? -Infinity;
          if (at - last < keep) world.report(`${label} holds the slot ${slot} from ${at}, which ran at ${last}`);
          runs.set(slot, at);
          await world.pause(process, world.integer(300));
          if (fails) throw new LockError('LOCK_LOST', 'as it should');
        };
        await (name === undefined
          ? process.locks.once('job', { every }, work)
          : process.locks.once('job', name, { keep }, work));
      });
    },
    async end() {
      world.heal();
      await world.store.advance(2 * keep);
    },
  };
};

/** By the name of what is used. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'read/write locks': readWriteLock,
  semaphores: semaphore,
  'multi-locks': multiLock,
  'nested calls': nested,
  'reentrant calls': reentrant,
  elections: election,
  'hand-overs': handOver,
  'keys that rest': rests,
  'once in a slot': onceEach,
};
