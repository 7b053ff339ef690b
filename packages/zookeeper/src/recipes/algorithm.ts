import { LockError } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { Nodes } from '../nodes/nodes.ts';
import type { OwnNode } from '../nodes/own-node.ts';
import { folderOf } from '../nodes/paths.ts';
import { sequenceLimit } from '../nodes/sequence.ts';
import { inOrder } from './contenders.ts';
import type { Contender } from './contenders.ts';
import type { LiveClaim } from './live-claim.ts';
import { looks } from './recipe.ts';
import type { AttemptResult, QueueSteps, Verdict } from './recipe.ts';
import { waitAt, waitingFor, waitingWith } from './waits.ts';

// A claim is an ephemeral node that ZooKeeper numbers. Its number among those of the other claims
// decides whether it holds, or which nodes must go first. It watches those, and checks again when
// one has gone. A release removes the node, and so does the end of the session.

/**
 * The meaning of the position `own`, first come, first served. An exclusive contender holds when it
 * is first. A shared one holds when no exclusive contender and no waiting shared one is before it,
 * and, with n permits, fewer than n shared ones are. `queue` is in any order. O(n), for a waiter
 * with permits O(n log n).
 *
 * Watches wake as few waiters as possible:
 *
 * - Exclusive: the contender right before it.
 * - Shared: the nearest exclusive contender before it, as shared ones enter together.
 * - With n permits, behind shared ones: the n nearest. It may enter when all but n - 1 of the
 * shared ones before it have gone, in any order. If it watched fewer, those could be the ones that
 * stay.
 */
export function judge(queue: readonly Contender[], own: string): Verdict {
  const me = queue.find((contender) => contender.name === own);
  if (me === undefined) return { state: 'missing' };
  const exhausted = exhaustedIn(queue, me);
  if (exhausted !== undefined) return exhausted;
  // ZooKeeper never repeats a number, but a node created by hand may have ours, and goes first.
  const before = queue.filter((contender) => contender.sequence <= me.sequence && contender !== me);
  const writers = latest(me.mode === 'exclusive' ? before : before.filter(({ mode }) => mode === 'exclusive'));
  if (me.mode === 'exclusive' || writers.length > 0) return waitFor(writers, before.length);
  // Only shared contenders are before it.
  const { permits } = me;
  if (permits !== undefined && before.length >= permits) {
    return waitFor(before.toSorted(inOrder).slice(-permits), before.length);
  }
  if (before.every((sharer) => sharer.permits === permits)) return { state: 'holds' };
  // One with fewer permits may wait before this one, and is not overtaken.
  const sorted = before.toSorted(inOrder);
  return waitFor(sorted.slice(0, firstToWait(sorted) + 1), before.length);
}

/** Whether the numbers of a queue are used up for the contender `me`. */
export function exhaustedIn(
  queue: readonly Contender[],
  me: Contender,
): Extract<Verdict, { readonly state: 'exhausted' }> | undefined {
  // Other libraries sort negative numbers to the front, and enter.
  const beyond = me.sequence >= sequenceLimit ? me : queue.find(({ sequence }) => sequence >= 2 ** 31);
  return beyond && { state: 'exhausted', sequence: beyond.sequence };
}

/** The index of the first of `sharers` that does not hold yet, as too many are before it. */
function firstToWait(sharers: readonly Contender[]): number {
  return sharers.findIndex(({ permits }, index) => index >= (permits ?? Infinity));
}

/** The holders and the waiters, in order. */
export function holdersOf(queue: readonly Contender[]): {
  readonly holders: readonly Contender[];
  readonly waiters: readonly Contender[];
} {
  const sorted = queue.toSorted(inOrder);
  const writer = sorted.findIndex((contender) => contender.mode === 'exclusive');
  const sharers = sorted.slice(0, writer === -1 ? sorted.length : writer);
  const next = firstToWait(sharers);
  const count = writer === 0 ? 1 : next === -1 ? sharers.length : next;
  return { holders: sorted.slice(0, count), waiters: sorted.slice(count) };
}

function waitFor(watched: readonly Contender[], place: number): Verdict {
  return watched.length === 0 ? { state: 'holds' } : { state: 'waits', watch: watched.map(({ name }) => name), place };
}

/** The last one, if any. */
function latest([first, ...others]: readonly Contender[]): readonly Contender[] {
  return first === undefined
    ? []
    : [others.reduce((found, one) => (one.sequence > found.sequence ? one : found), first)];
}

/** One attempt in a queue: enters it, checks until the position is known, and watches or leaves. */
export async function attemptInQueue(
  nodes: Nodes,
  steps: QueueSteps,
  own: LiveClaim,
  claim: Claim,
): Promise<AttemptResult> {
  if (own.uncertain) await steps.find(own);
  if (own.node !== undefined && own.claim.mode !== claim.mode) await steps.convert(own, claim);
  own.restate(claim);
  const before = own.node === undefined ? undefined : await asBefore(nodes, own, own.node);
  if (before !== undefined) return before;
  for (let look = 0; look < looks; look += 1) {
    const verdict = await steps.look(own);
    if (verdict === undefined || own.node === undefined) continue;
    const { node } = own;
    switch (verdict.state) {
      case 'holds':
        steps.holds?.(own, node);
        return { holds: true };
      case 'missing':
        // Another client has removed it.
        steps.gone(own);
        own.hasNoNode();
        break;
      case 'exhausted':
        await steps.leave(own);
        throw sequenceExhausted(claim.key, folderOf(node.path), verdict.sequence);
      case 'waits': {
        if (!own.waits) {
          await steps.leave(own);
          return waitingFor(waitAt(1));
        }
        const watch = await own.watch(verdict.watch, verdict.place);
        if (watch !== 'missing') return waitingWith(watch, verdict.place);
        break;
      }
      default:
        verdict satisfies never;
    }
  }
  // Other clients come and go faster than this one can check.
  if (!own.waits) await steps.leave(own);
  return waitingFor(1);
}

/**
 * Whether a holder still holds, or a waiter still waits, without reading the queue. `undefined`:
 * unknown.
 */
async function asBefore(nodes: Nodes, own: LiveClaim, node: OwnNode): Promise<AttemptResult | undefined> {
  const { session, watched, token, place } = own;
  if (token !== undefined) return (await nodes.existsLatest(session, node.path)) && { holds: true };
  if (watched.length === 0) return undefined;
  const stats = await Promise.all([node.path, ...watched].map((path) => nodes.exists(session, path)));
  return stats.includes(undefined) ? undefined : waitingFor(waitAt(place));
}

/** The error for a key whose folder has used up its sequence numbers. */
function sequenceExhausted(key: string, folder: string, sequence: number): LockError {
  const message =
    `The sequence numbers of ${JSON.stringify(key)} are used up: ZooKeeper gave out ${sequence} of 2147483647. ` +
    `They restart when the node ${folder} is removed, once no client holds the key or waits for it. If some always do, stop them briefly.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key });
}
