import type { Lease } from '../../src/index.ts';
import type { SimulatedProcess } from '../../src/testing/index.ts';
import type { ObjectScenario, Part } from './holds.ts';

/** A lease goes from process to process, which race for it; others want it, too. */
export const transfer: ObjectScenario = (world, holds) => {
  const part = (): readonly Part[] => [{ key: 'seat', mode: 'exclusive' }];
  const hold = async (process: SimulatedProcess, lease: Lease, rounds: number): Promise<void> => {
    const give = async (): Promise<string | undefined> => {
      await process.pause(world.integer(80));
      return rounds === 0 ? undefined : await lease.transfer();
    };
    // Not handed over: it is held still, or lost.
    const text = await holds.under(process, lease, part, give).catch(() => undefined);
    if (text === undefined) await lease.release();
    else {
      const { owner, token } = lease;
      for (const other of [world.pick(world.processes), world.pick(world.processes)]) {
        if (!other.alive) continue;
        other.run(`resumes ${owner}`, async (label) => {
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
      process.run(`takes, for ${rounds} others`, async () => {
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
export const rests: ObjectScenario = (world, holds) => {
  const debts = new Map<string, Debt>();
  const hold = async (process: SimulatedProcess, lease: Lease, debt: Debt): Promise<void> => {
    for (let left = world.integer(8); left > 0; left -= 1) {
      if (lease.held) debt.heldAt = world.runtime.time;
      await process.pause(20);
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
      process.run(`${key} with ${JSON.stringify(options)}`, async () => {
        const lease = await process.locks.acquire(key, options);
        const debt: Debt = { atLeast, lockDelay, heldAt: world.runtime.time, clean: false };
        debts.set(lease.owner, debt);
        const part = (): readonly Part[] => [{ key, mode: 'exclusive' }];
        await holds.under(process, lease, part, () => hold(process, lease, debt));
        debt.clean = lease.held;
        if (process.alive) await lease.release();
      });
    },
    check() {
      const before = new Map<string, { readonly owner: string; readonly free: number }>();
      for (const [owner, { key, at }] of holds.grants) {
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
