import type { Claim } from '@locks/core';
import type { Nodes } from '../nodes/nodes.ts';
import type { OwnNode } from '../nodes/own-node.ts';
import { folderOf } from '../nodes/paths.ts';
import type { LiveClaim } from './live-claim.ts';
import { looks } from './recipe.ts';
import type { AttemptResult } from './recipe.ts';
import { sequenceExhausted } from './sequence-exhausted.ts';
import { waitAt, waitingFor, waitingWith } from './waits.ts';

/** What a place in line means. */
export type Verdict =
  | { readonly state: 'holds' }
  /**
   * One of the nodes in `watch` must go first: then look again. `place`: how many are before it.
   */
  | { readonly state: 'waits'; readonly watch: readonly string[]; readonly place: number }
  /** Its node is not there: it was released, or its session has ended. */
  | { readonly state: 'missing' }
  /** The sequence numbers of the folder are used up, or have begun anew. */
  | { readonly state: 'exhausted'; readonly sequence: number };

/** How a recipe with a line does the steps of an attempt. */
export interface LineSteps {
  /** Finds out what became of a request whose reply was lost. */
  find(own: LiveClaim): Promise<unknown>;
  /** Makes the node of a held claim stand for `claim`, which has another mode. */
  convert(own: LiveClaim, claim: Claim): Promise<void>;
  /** Enters the line if need be, and judges the place. `undefined`: it has changed, look again. */
  look(own: LiveClaim): Promise<Verdict | undefined>;
  leave(own: LiveClaim): Promise<boolean>;
  gone(own: LiveClaim): void;
  /** The claim holds by its node. */
  holds?(own: LiveClaim, node: OwnNode): void;
}

/** One attempt in a line: enters it, looks until the place is clear, and watches or leaves. */
export async function attemptInLine(
  nodes: Nodes,
  steps: LineSteps,
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
  // Other clients come and go faster than this one looks.
  if (!own.waits) await steps.leave(own);
  return waitingFor(1);
}

/**
 * Whether a holder still holds, or a waiter still waits, without reading the line. `undefined`:
 * look.
 */
async function asBefore(nodes: Nodes, own: LiveClaim, node: OwnNode): Promise<AttemptResult | undefined> {
  const { session, watched, token, place } = own;
  if (token !== undefined) return (await nodes.existsLatest(session, node.path)) && { holds: true };
  if (watched.length === 0) return undefined;
  const stats = await Promise.all([node.path, ...watched].map((path) => nodes.exists(session, path)));
  return stats.includes(undefined) ? undefined : waitingFor(waitAt(place));
}
