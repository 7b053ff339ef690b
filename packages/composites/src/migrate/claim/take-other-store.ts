import type { Claim } from '@locks/core';
import { LockError } from '@locks/core/adapter';
import { leavesNothing } from '@locks/core/composite';
import type { MemberHold } from '../../members/key-states.ts';
import { callMember } from '../../members/member-answers.ts';
import { ends, oppositeOf } from '../phase.ts';
import type { End } from '../phase.ts';
import type { MigrationHost } from './migration-host.ts';

/** A lease that one store has, and the other one is to have too. */
export interface CarriedLease {
  readonly end: End;
  /** As the other store is to know it. */
  readonly claim: Claim;
  /** Until when core was told that it lasts, in ms of the clock. */
  readonly until: number;
  /** Whether the lease is still to be carried. */
  isNeeded(): boolean;
}

/** Takes the lease in the other store. Rejects where that does not have it then. */
export async function takeOtherStore(host: MigrationHost, outer: string, lease: CarriedLease): Promise<MemberHold> {
  const { end, isNeeded } = lease;
  const other = oppositeOf(end);
  const { both, stores, runtime } = host;
  const member = ends.indexOf(other);
  const { key, mode } = lease.claim;
  const notCarried = (why: string, cause?: unknown): LockError => {
    const message = `The lease on ${JSON.stringify(key)} is held in store "${end}" alone, and store "${other}" did not take it too: ${why}.`;
    return new LockError('LOCK_UNAVAILABLE', message, { key, cause });
  };
  if (!isNeeded()) throw notCarried('the phase changes');
  const sentAt = runtime.clock.now();
  // It lasts for as long as core was told, at least.
  const ttl = Math.max(lease.claim.ttl, Math.ceil(lease.until - sentAt));
  const claim = { ...lease.claim, ttl };
  const giveBack = (uncertain: boolean): void =>
    both.members[member]?.releases.start({ claim, uncertain, lastSend: sentAt });
  const answer = await callMember(() => stores[other].tryAcquire(claim)).catch((error: unknown) => {
    if (!leavesNothing(error)) giveBack(true);
    throw notCarried('it gave no answer', error);
  });
  if (!answer.granted) throw notCarried('another claim has it there');
  if (!isNeeded() || sentAt + (answer.validity ?? ttl) <= runtime.clock.now()) {
    giveBack(false);
    throw notCarried('its answer came too late');
  }
  const { token, lost } = answer;
  return { member, owner: claim.owner, holder: { owner: outer, mode, token }, lost };
}
