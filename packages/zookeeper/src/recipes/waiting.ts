import type { LiveClaim } from './live-claim.ts';
import type { Nodes } from '../nodes/nodes.ts';
import type { Standing } from './recipe.ts';

/** In ms: see `waitAt`. */
const waitOfFirst = 5_000;
const longestWait = 60_000;
/** When to look again where there are too many watches, in ms. */
const unwatchedWait = 1_000;

/**
 * A watch tells of everything. After this long, in ms, a claim looks for what a watch that got lost did not tell; one that is far behind in
 * line, later: a thousand that look every few seconds would send more than the locks themselves.
 */
export function waitAt(place: number): number {
  return Math.min(longestWait, waitOfFirst * Math.max(1, place));
}

/** Not now; look again after so many ms. */
export function waitingFor(retryAfter: number): Standing {
  return { holds: false, retryAfter };
}

/** Not now; a watch will tell, or there was none to be had. */
export function waitingWith(watch: 'watching' | 'refused', place: number): Standing {
  return waitingFor(watch === 'watching' ? waitAt(place) : unwatchedWait);
}

/** What is still so for one that holds, or that watches: known without a look at all others. `undefined`: look. */
export async function asBefore(nodes: Nodes, own: LiveClaim): Promise<Standing | undefined> {
  const { session, node, watched, token, place } = own;
  if (node === undefined) return undefined;
  if (token !== undefined) return (await nodes.existsLatest(session, node.path)) && { holds: true };
  if (watched.length === 0) return undefined;
  const stats = await Promise.all([node.path, ...watched].map((path) => nodes.exists(session, path)));
  return stats.includes(undefined) ? undefined : waitingFor(waitAt(place));
}

/** Waits for one of `paths` to go, with `place` before it in line. `undefined`: one has gone already, look again. */
export async function watchFor(own: LiveClaim, paths: readonly string[], place: number): Promise<Standing | undefined> {
  own.place = place;
  const watch = await own.watch(paths);
  return watch === 'missing' ? undefined : waitingWith(watch, place);
}
