import type { Rules } from './rules.ts';
import { emptyLog, firstBase, keyOf } from './state.ts';
import type { Client, State } from './state.ts';
import { stepsFrom } from './steps.ts';
import type { World } from './steps.ts';

export interface Exploration {
  readonly states: number;
  /** How many of them show each of these: what never happened was not checked. */
  readonly seen: ReadonlySet<string>;
  /** The problem, and the steps that lead to it. */
  readonly violation?: { readonly what: string; readonly steps: readonly string[] };
}

/**
 * All that can happen in `world`, breadth first. Ends at the first violation, and at `most` states,
 * because broken rules may go on for ever.
 */
export function explore(world: World, rules: Rules, most: number = Infinity): Exploration {
  const first = begin(world);
  const known = new Set([keyOf(first)]);
  const reached: { readonly state: State; readonly name: string; readonly from: number }[] = [
    { state: first, name: '', from: -1 },
  ];
  const seen = new Set<string>();
  for (let index = 0; index < reached.length && index < most; index += 1) {
    const at = reached[index];
    if (at === undefined) break;
    for (const { name, client, next } of stepsFrom(at.state, world, rules)) {
      const key = keyOf(next);
      if (known.has(key)) continue;
      known.add(key);
      seen.add(name);
      reached.push({ state: next, name: `${client ?? ''} ${name}`.trim(), from: index });
      const what = next.clients === at.state.clients ? undefined : violationOf(next, world);
      if (what !== undefined)
        return { states: known.size, seen, violation: { what, steps: stepsTo(reached.length - 1) } };
    }
  }
  return { states: known.size, seen };

  function stepsTo(end: number): string[] {
    const steps: string[] = [];
    for (let index = end; index > 0; index = reached[index]?.from ?? 0) steps.unshift(reached[index]?.name ?? '');
    return steps;
  }
}

/** Law 4 of the contract, for what has been granted so far. */
function violationOf({ log, clients }: State, { wishes }: World): string | undefined {
  const granted = clients.flatMap(({ token, renewed }, index) => {
    if (token === undefined) return [];
    const place = log.findIndex((entry) => entry.type === 'create' && entry.client === index);
    return [{ index, place, token, renewed, wish: wishes[index] }];
  });
  for (const { token, wish } of granted) {
    if (wish?.floor !== undefined && token <= wish.floor) return `${token} does not exceed the floor ${wish.floor}`;
  }
  for (const one of granted) {
    for (const other of granted) {
      if (one === other) continue;
      if (one.token === other.token) return `${one.token} is given twice`;
      const exclude = one.wish?.mode === 'exclusive' || other.wish?.mode === 'exclusive';
      if (!exclude || one.place > other.place) continue;
      if (other.token <= one.token) return `${other.token} is given after ${one.token}`;
      if (one.renewed !== undefined && other.token <= one.renewed)
        return `${other.token} is given after ${one.renewed}`;
    }
  }
  return undefined;
}

function begin({ wishes, raises = 0, removals = 0, unread = false }: World): State {
  const client: Client = {
    phase: 'idle',
    seen: 0,
    until: 0,
    base: firstBase,
    watched: !unread,
    to: 0,
    written: 0,
    token: undefined,
    renewed: undefined,
  };
  return { log: emptyLog(wishes.length), clients: wishes.map(() => client), raises, removals };
}
