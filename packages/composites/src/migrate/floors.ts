import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { StoreFloor, withFloor } from '@locks/core/composite';
import { floorCopy, floorKey } from './keys.ts';
import type { MigrateRules } from './options.ts';
import { oppositeOf } from './phase.ts';
import type { End, Phase } from './phase.ts';

/**
 * Added to a probe, in µs. A key's tokens run ahead of the store's clock by one per grant at most.
 * A smaller number would fall behind where one key is granted more often.
 */
const slack = 600_000_000n;
/** A floor that is no more than so much below where a probe would put it stays, in µs. */
const enough = slack / 2n;
/** In `both`: where a clock is so much ahead, in µs, the other store's floor goes along with it. */
const apart = 1_000_000n;
/** It then goes so much above that clock, in µs. With less it is raised more often. */
const lead = 60_000_000n;
/** A probe waits so long for the floor's key, in ms. Others have it for a moment only. */
const patience = 5_000;
/** A process that dies in a probe keeps others from theirs for so long, in ms. */
const probeTtl = 2_000;

/** What tokens exceed, in both stores of a migration. */
export class Floors {
  readonly #of: Readonly<Record<End, StoreFloor>>;
  /** For probes alone. Closed before the stores are: other processes need the floor's key. */
  readonly #locks: Readonly<Record<End, Locks>>;
  readonly #without: End | undefined;

  constructor({ stores, name, runtime, label, without }: MigrateRules) {
    const floorOf = (end: End): StoreFloor =>
      new StoreFloor(stores[end], runtime, {
        copies: [{ provider: stores[oppositeOf(end)], name: floorCopy(name, end) }],
      });
    const locksOf = (end: End): Locks =>
      createLocks(withFloor(stores[end], this.#of[end]), { ttl: probeTtl, runtime, label });
    this.#of = { from: floorOf('from'), to: floorOf('to') };
    this.#locks = { from: locksOf('from'), to: locksOf('to') };
    this.#without = without;
  }

  /** Resolves when the floors of claims under `phase` are known. `undefined`: they are. */
  ready(phase: Phase): Promise<unknown> | undefined {
    if (phase !== 'both') return this.#of[phase].ready();
    const { from, to } = this.#of;
    const waits = [from.ready(true), to.ready(true)].filter((wait) => wait !== undefined);
    if (waits.length > 0) return Promise.all(waits);
    if (from.runs && to.runs) {
      if (from.clockToken > to.clockToken) keepUp(to, from.clockToken);
      else keepUp(from, to.clockToken);
    }
    return undefined;
  }

  /** The floor of a claim that is sent under `phase` now. */
  at(phase: Phase): bigint | undefined {
    if (phase !== 'both') return this.#of[phase].now();
    const [from = 0n, to = 0n] = [this.#of.from.now(), this.#of.to.now()];
    return from > to ? from : to || undefined;
  }

  /**
   * Raises the floor of `end` above all tokens of the other store, and gives it. With the other
   * store gone for good it stays above those that its own store knows of.
   */
  async probe(end: End): Promise<bigint> {
    const own = this.#of[end];
    const gone = this.#without === oppositeOf(end);
    const least = gone ? undefined : (await this.#grant(oppositeOf(end))) + slack;
    if (own.runs) await own.read(!gone);
    if (least !== undefined && (!own.runs || least - enough > (own.now() ?? own.clockToken))) {
      await own.raise(least, !gone);
    }
    const token = await this.#grant(end);
    // An earlier release of this library has raised the key, and by nothing else.
    if (own.runs && token > (own.now() ?? own.clockToken) + apart) await own.raise(token, !gone);
    return token;
  }

  async close(): Promise<void> {
    await Promise.all([this.#locks.from.close(), this.#locks.to.close()]);
  }

  /** A token of the floor's key, above the floor of the store. */
  async #grant(end: End): Promise<bigint> {
    const lease = await this.#locks[end].acquire(floorKey, { wait: patience });
    await lease.release();
    return lease.token;
  }
}

/**
 * In `both` tokens come from the clock that is ahead. The other store would be behind them if it
 * lost its data.
 */
function keepUp(behind: StoreFloor, clock: bigint): void {
  if (clock - behind.clockToken < apart || clock < (behind.now() ?? 0n)) return;
  behind.raise(clock + lead, true).catch(() => {});
}
