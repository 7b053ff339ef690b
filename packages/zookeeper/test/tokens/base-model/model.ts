import type { Model } from '../../../../core/test/search/search.ts';
import type { Rules } from './rules.ts';
import { emptyLog, firstBase } from './state.ts';
import type { Client, State } from './state.ts';
import { stepsFrom } from './steps.ts';
import type { Step, World } from './steps.ts';

/**
 * All that can happen in `world`. `seen` has each thing that happened: what never did was not
 * checked.
 */
export function modelOf(world: World, rules: Rules, seen: Set<string> = new Set()): Model<State, Step> {
  return {
    start: begin(world),
    events: (state) => stepsFrom(state, world, rules),
    apply(_, { name, next }) {
      seen.add(name);
      return next;
    },
    hash: ({ log, clients, raises, removals }, hash) =>
      hash.plain([log, clients.map(({ base, ...client }) => [base.value, base.mzxid, client]), raises, removals]),
    problem: (state) => violationOf(state, world),
    unfinished: () => undefined,
    tell: ({ client, name }) => `${client ?? ''} ${name}`.trim(),
  };
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
