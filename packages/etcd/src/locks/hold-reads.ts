import type { Claim } from '@locks/core';
import { Batches } from '@locks/core/adapter';
import type { Deadline } from '@locks/core/adapter';
import type { Members } from '../connection/members.ts';
import { txn } from '../wire/calls.ts';
import type { Keys } from './keys.ts';
import { queueIn, readsOfClaims } from './queue.ts';
import type { KeyQueue } from './queue.ts';

/** What a read of a hold has found. */
export interface HoldRead {
  readonly queue: KeyQueue;
  /** The raft term of the answer. */
  readonly term: string;
}

interface HoldCall {
  readonly claim: Pick<Claim, 'key' | 'owner'>;
  /** In ms. */
  readonly within: number;
  readonly patience: number;
}

/**
 * Reads the hold, or the place, of a claim, and the base of tokens. A process with thousands of
 * leases reads one with each renewal. Those of one tick travel together.
 */
export function createHoldReads(
  members: Members,
  keys: Keys,
  deadline: Deadline,
): (call: HoldCall) => Promise<HoldRead> {
  async function together(calls: readonly HoldCall[]): Promise<readonly Promise<HoldRead>[]> {
    const names = calls.map(({ claim: { key, owner } }) => keys.claim(key, owner));
    const request = { compare: [], success: readsOfClaims(keys, names), failure: [] };
    const within = Math.max(...calls.map((call) => call.within));
    const patience = Math.min(...calls.map((call) => call.patience));
    const answer = await members.call(txn, request, 'a read of a hold', { within, repeats: true, patience });
    const [base, ...claims] = answer.responses;
    // It rejects for a claim to which another program has written.
    return claims.map(async (one) => {
      const responses = base === undefined ? [one] : [base, one];
      return { queue: queueIn({ ...answer, responses }, keys), term: answer.header.raftTerm };
    });
  }
  const alone = async (call: HoldCall): Promise<HoldRead> => await ((await together([call])) as [Promise<HoldRead>])[0];
  const batches = new Batches<HoldCall, HoldRead>({ fits: () => true, alone, together });
  return (call) => deadline.race(batches.call(call), 'a read of a hold', call.within);
}
