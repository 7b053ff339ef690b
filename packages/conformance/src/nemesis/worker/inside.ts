import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '@locks/core';
import { now } from '../clock.ts';
import type { Turn } from '../script.ts';
import { codeOf } from './calls.ts';
import type { Surroundings } from './surroundings.ts';

/** What a holder does during its work. */
export interface Inside {
  readonly with: Surroundings;
  readonly id: string;
  readonly turn: Turn;
  readonly lease: Lease;
  /** Ends the term of an election, or its candidacy. */
  readonly election?: { stop(): Promise<void>; resign(): Promise<boolean> } | undefined;
  /** Releases the lease, and records that. */
  release(): Promise<void>;
}

/** Does what the work of the turn does besides the guarded write. */
export async function doInside({ with: surroundings, id, turn, lease, election, release }: Inside): Promise<void> {
  const { locks, append, process, name } = surroundings;
  // Without a reference: it must not be counted as left open.
  const inTime = async (work: Promise<unknown> | undefined): Promise<void> =>
    void (await Promise.race([work, sleep(turn.hold + 1, undefined, { ref: false })]));
  switch (turn.inside) {
    case undefined:
      return;
    case 'renew': {
      const code = await lease.renew().then(() => 'ok', codeOf);
      append({ type: 'renewed', at: now(), process, id, code });
      return;
    }
    case 'release':
      if (election === undefined) await release();
      else await inTime(election.resign());
      return;
    case 'stop':
      await inTime(election?.stop());
      return;
    case 'close':
      // Before Node 24 a close waits for the work that calls it, up to `drain`.
      await inTime(surroundings.reopen());
      return;
    case 'block':
      block(surroundings, turn.hold);
      return;
    case 'again':
      if (turn.reentrant === true) await reenter(surroundings, turn, lease);
      else
        await surroundings.take(`${id}/again`, {
          key: turn.key,
          mode: 'exclusive',
          how: 'tryAcquire',
          think: 0,
          hold: 0,
        });
      return;
    case 'force': {
      const key = name(turn.key);
      // The locks of several keys have owners of their own, of which their lease tells the first.
      const own = turn.how === 'multiLock' ? [turn.key, ...(turn.more ?? [])] : [];
      for (const each of own) append({ type: 'forced', at: now(), process, key: each, owner: lease.owner });
      const { holders } = await locks.inspect(key).catch(() => ({ holders: [] }));
      for (const holder of holders) {
        // A member of a composite adds the number of the attempt.
        append({ type: 'forced', at: now(), process, key: turn.key, owner: holder.owner.replace(/~\w+$/, '') });
        await locks.forceRelease(holder).catch(() => false);
      }
      return;
    }
    default:
      turn.inside satisfies never;
  }
}

/** Takes a key again that is held already, without a wait. */
async function reenter({ locks, name }: Surroundings, { key, mode, permits }: Turn, lease: Lease): Promise<void> {
  try {
    await locks.withLock(name(key), { mode, permits, reentrant: true, wait: 0 }, async () => {});
  } catch (error) {
    if (lease.held) throw error;
  }
}

/** Blocks the event loop, and records that as a fault of the process. */
export function block({ append, process }: Pick<Surroundings, 'append' | 'process'>, duration: number): void {
  const from = now();
  while (now() - from < duration);
  append({ type: 'fault', at: now(), process, from, kind: 'block', hit: process });
}
