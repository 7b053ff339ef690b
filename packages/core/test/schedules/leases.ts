import { createLocks, createMemoryProvider, isLockError } from '../../src/index.ts';
import type { AcquireOptions, Lease, LockProvider } from '../../src/index.ts';
import { MemoryStorage } from '../../src/memory/store.ts';
import type { Scenario, SimulatedProcess, World } from '../../src/testing/index.ts';
import { replaced } from '../support/replaced.ts';
import type { Flaw } from './flaws.ts';
import { ContractModel } from './model.ts';

const waiterTtl = 400;
/** The longest ttl that a schedule uses. */
const longestTtl = 1_000;
/** In ms: an attempt takes so long at most. So does the look for holders at the end of a wait. */
const callTimeout = 120;

/** One call of `tryAcquire`. */
interface Wait {
  readonly name: string;
  readonly controller: AbortController;
  /** When it must be answered, by the clock of its process. */
  readonly until: number;
}

/** A lease that was granted. */
interface Hold {
  readonly lease: Lease;
  readonly signal: AbortSignal;
  released: boolean;
  /** Since when it is known not to be held any more. */
  overSince: number | undefined;
}

interface Own {
  readonly process: SimulatedProcess;
  readonly holds: Set<Hold>;
  readonly waits: Set<Wait>;
  closed: boolean;
}

/**
 * Leases with all options, on a memory that is compared with the contract, call by call. No lease
 * says that it lasts longer than its store keeps it.
 */
export function leases(world: World, flaw: Flaw = {}): Scenario {
  const memory = new MemoryStorage({ runtime: world.runtime, waiterTtl });
  const model = new ContractModel({ now: () => memory.now(), waiterTtl, report: world.report });
  const owns = world.processes.map((process): Own => {
    return { process, holds: new Set(), waits: new Set(), closed: false };
  });
  let ending = false;
  const now = (): number => world.runtime.time;

  const compared = (provider: LockProvider): LockProvider =>
    replaced(provider, {
      tryAcquire: (claim, wake) => model.attempt(provider, claim, wake),
      renew: (claim, token) => model.renew(provider, claim, token),
      release: (claim) => model.release(provider, claim),
    });

  function run(own: Own, what: string, call: (name: string) => Promise<unknown>): void {
    // A key is asked for in modes that do not go together, and a released lease is renewed.
    const expected = (error: unknown): void => {
      if (!isLockError(error, 'LOCK_INVALID') && !(own.closed && isLockError(error, 'LOCK_CLOSED'))) throw error;
    };
    own.process.run(what, (name) => call(name).catch(expected));
  }

  function take(own: Own, key: string, options: AcquireOptions & { readonly wait: number }, hold: number): void {
    const { process, holds, waits } = own;
    const what = `${key} ${JSON.stringify({ ...options, hold })}`;
    run(own, what, async (name) => {
      const until = process.runtime.time + Math.max(options.wait, callTimeout);
      const wait: Wait = { name, controller: new AbortController(), until };
      waits.add(wait);
      const { signal } = wait.controller;
      try {
        const lease = await process.locks.tryAcquire(key, { ...options, signal });
        if (lease === null || !process.alive) return;
        world.history.granted(process.name, lease, options.permits);
        const entry: Hold = { lease, signal: lease.signal, released: false, overSince: undefined };
        holds.add(entry);
        look();
        if (ending) release(own, entry);
        else if (hold < Infinity) process.runtime.setTimer(() => release(own, entry), hold, false);
      } catch (error) {
        if (!signal.aborted || error !== signal.reason) throw error;
      } finally {
        waits.delete(wait);
      }
    });
  }

  function release(own: Own, hold: Hold): void {
    if (!own.process.alive) return;
    const { lease } = hold;
    hold.released ||= lease.held;
    run(own, `releases ${lease.owner}`, () => world.history.release(lease));
  }

  /** Calls without arguments, and how often each is drawn. */
  const plain: readonly (readonly [often: number, act: (own: Own) => void])[] = [
    [4, (own) => [...own.holds].slice(-1).forEach((hold) => release(own, hold))],
    [
      2,
      (own) => [...own.holds].slice(-1).forEach(({ lease }) => run(own, `renews ${lease.owner}`, () => lease.renew())),
    ],
    [3, ({ waits }) => [...waits].at(-1)?.controller.abort(new Error('not wanted any more'))],
    [
      1,
      (own) => {
        own.closed = true;
        run(own, 'closes', () => own.process.locks.close());
      },
    ],
  ];
  const acts = plain.flatMap(([often, act]) => Array.from({ length: often }, () => act));

  function look(): void {
    for (const { process, holds, waits } of owns) {
      if (!process.alive || now() < process.asleepUntil) continue;
      for (const hold of holds) {
        if (hold.released || hold.signal.aborted) holds.delete(hold);
        const { key, owner, remaining } = hold.lease;
        if (remaining > 0 && !model.keeps(key, owner, now() + remaining / process.runtime.rate))
          world.report(`${owner} says ${remaining} ms remain; the store does not keep it so long`);
      }
      if (now() < process.runtime.busyUntil + 10) continue;
      // A machine that slept finds out at its next timer: at a third of a validity, or within a
      // second.
      const awake = now() > process.asleepUntil + longestTtl / 2;
      for (const hold of awake ? holds : []) reportLate(hold);
      if (now() < process.runtime.busyUntil + callTimeout + 10) continue;
      for (const { name, until } of waits)
        if (process.runtime.time > until + callTimeout + 10) world.report(`${name} was not answered at its deadline`);
    }
    if (world.calm) checkTurns();
  }

  /** A running process is told at once that a lease is over. */
  function reportLate(hold: Hold): void {
    if (hold.released || hold.signal.aborted || hold.lease.held) return;
    hold.overSince ??= now();
    if (now() > hold.overSince + 5)
      world.report(`${hold.lease.owner} is over since ${hold.overSince}, and was not told`);
  }

  /**
   * Without losses, a claim that could go goes after the answer in flight, a wake and an attempt.
   * After an expiry it goes at its next look.
   */
  function checkTurns(): void {
    const flight = 42;
    for (const { owner, since, woken } of model.turns()) {
      const own = owns.find(({ process }) => owner.startsWith(`${process.name}/`));
      const patience = woken ? flight : flight + waiterTtl / 3;
      if (own === undefined || own.closed || own.process.disturbedUntil + flight >= since) continue;
      if (now() > since + patience) world.report(`${owner} could go since ${since}, and was not told`);
    }
  }

  return {
    look,
    open(process) {
      const server = createMemoryProvider({ store: memory });
      const link = process.link(compared(flaw.server?.(server, { memory, runtime: world.runtime }) ?? server));
      const provider = flaw.client?.(link, process.runtime) ?? link;
      return createLocks(provider, {
        runtime: flaw.runtime?.(process.runtime) ?? process.runtime,
        label: process.name,
      });
    },
    step(process) {
      const own = owns.find((each) => each.process === process)!;
      if (own.closed) return;
      if (world.integer(4) === 0) {
        world.pick(acts)(own);
        return;
      }
      const key = world.pick(['a', 'a', 'a', 'b']);
      const times = {
        ttl: world.pick([60, 100, 150, 300, longestTtl]),
        wait: world.pick([0, 30, 250, Infinity, Infinity, Infinity]),
        renew: world.integer(4) > 0,
        maxHold: world.pick([Infinity, Infinity, Infinity, 120]),
      };
      const kind = world.pick(['exclusive', 'exclusive', 'exclusive', 'shared', 'shared', 'more']);
      const permits = kind === 'more' ? 3 : key === 'a' ? 2 : undefined;
      const options = kind === 'exclusive' ? times : { ...times, mode: 'shared' as const, permits };
      take(own, key, options, world.pick([5, 20, 60, 200, Infinity]));
    },
    end() {
      ending = true;
      for (const own of owns) for (const hold of own.holds) release(own, hold);
    },
  };
}
