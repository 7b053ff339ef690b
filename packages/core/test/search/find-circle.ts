import type { Numbers } from './state-table.ts';

/**
 * A state that some schedule meets again and again, among `size` states with transitions `from`
 * and `to`. `undefined`: each schedule ends.
 */
export function findCircle(size: number, from: Numbers, to: Numbers): number | undefined {
  const arrivals = new Uint32Array(size);
  const first = new Int32Array(size).fill(-1);
  const following = new Int32Array(from.length);
  for (let edge = 0; edge < from.length; edge += 1) {
    arrivals[to.at(edge)]! += 1;
    following[edge] = first[from.at(edge)] as number;
    first[from.at(edge)] = edge;
  }
  // Takes away states that no transition leads to.
  const free = arrivals[0] === 0 ? [0] : [];
  let left = size;
  for (let state = free.pop(); state !== undefined; state = free.pop()) {
    left -= 1;
    for (let edge = first[state] as number; edge !== -1; edge = following[edge] as number) {
      const reached = to.at(edge);
      arrivals[reached]! -= 1;
      if (arrivals[reached] === 0) free.push(reached);
    }
  }
  if (left === 0) return undefined;
  // Each state that is left has one before it that is left: backwards they end in a circle.
  const before = new Int32Array(size);
  for (let edge = 0; edge < from.length; edge += 1) {
    if (arrivals[from.at(edge)] !== 0) before[to.at(edge)] = from.at(edge);
  }
  const seen = new Set<number>();
  let state = arrivals.findIndex((count) => count > 0);
  while (!seen.has(state)) {
    seen.add(state);
    state = before[state] as number;
  }
  return state;
}
