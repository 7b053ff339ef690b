import type { Claim } from '@locks/core';
import { schedule } from '@locks/core/composite';
import { combineStates } from '../members/key-states.ts';
import { readStates } from '../members/member-states.ts';
import type { MembersHost } from '../members/member-states.ts';

/**
 * In ms: how long all waiters of a key together withhold a vote from its holder. A release reaches
 * the members one after the other. With less, a waiter in between takes the releasing claim for a
 * holder, returns its vote, and is overtaken by the waiters behind it. With more, a holder lacks a
 * recovered member for longer.
 */
const withheld = 1_500;

/** Another claim that holds the key, and the number of waiters. */
interface Seen {
  readonly owner: string;
  readonly waiters: number;
}

/**
 * Calls `found` if another claim holds the key. It may be releasing the key when first seen, so a
 * second check must see the same holder. `isWaiting`: whether the second check is still needed.
 */
export async function lookForHolder(
  host: MembersHost,
  claim: Claim,
  isWaiting: () => boolean,
  found: () => void,
): Promise<void> {
  const first = await holderBeside(host, claim);
  if (first === undefined) return;
  const again = async (): Promise<void> => {
    if (!isWaiting()) return;
    const second = await holderBeside(host, claim);
    if (second?.owner === first.owner) found();
  };
  schedule(host.timers, host.runtime.clock.now() + withheld / (1 + first.waiters), () => void again());
}

/** `undefined`: no other claim holds the key, or too few members answered. */
async function holderBeside(host: MembersHost, { key, owner }: Claim): Promise<Seen | undefined> {
  const states = await readStates(host, key).catch(() => []);
  const { holders, waiters } = combineStates(key, states, host.need);
  const other = holders.find((holder) => holder.owner !== owner);
  return other && { owner: other.owner, waiters };
}
