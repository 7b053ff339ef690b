import type { Mode } from '@locks/core';
import { judge } from '../../../src/recipes/algorithm.ts';
import type { Contender } from '../../../src/recipes/contenders.ts';
import type { Rules } from './rules.ts';
import { appended, firstBase, nodesAt } from './state.ts';
import type { Client, Nodes, State } from './state.ts';

/** One client's claim, all on one key. */
export interface Wish {
  readonly mode: Mode;
  readonly floor?: number;
  /** By how much it raises its token once it holds. */
  readonly renew?: number;
}

/** A small world. */
export interface World {
  readonly wishes: readonly Wish[];
  /** Raises by clients of other keys: how many at most, and by how much. */
  readonly raises?: number;
  readonly by?: readonly number[];
  /** Ends of sessions and releases by force, at most. */
  readonly removals?: number;
  /** The clients have not read the base when they begin. */
  readonly unread?: boolean;
}

export interface Step {
  readonly name: string;
  /** The client that takes it. `undefined`: it happens to all. */
  readonly client?: number;
  readonly next: State;
}

/** Everything that can happen next. */
export function stepsFrom(state: State, world: World, rules: Rules): Step[] {
  const clients = state.clients.flatMap((client, index) => {
    const wish = world.wishes[index];
    return wish === undefined ? [] : clientSteps({ state, world, rules, index, client, wish });
  });
  return [...clients, ...otherSteps(state, world, rules)];
}

function otherSteps(state: State, { by = [1] }: World, rules: Rules): Step[] {
  const { base, made } = nodesAt(state);
  const [raises, removals] = [state.raises - 1, state.removals - 1];
  const value = Number(base.value);
  const raiseBy = (amount: number): Step => {
    // Without compare-and-set it is what they had in mind before everything else.
    const to = (rules.compareAndSet ? value : 0) + amount;
    const log = appended(state.log, { type: 'base', value: to, previous: value }, rules.baseInParent);
    return { name: 'others raise the base', next: { ...state, log, raises } };
  };
  const remove = (client: number): Step => {
    const log = appended(state.log, { type: 'delete', client }, rules.baseInParent);
    return { client, name: 'has its node removed', next: { ...state, log, removals } };
  };
  const there = [...made.keys()].filter((client) => made[client] !== undefined);
  return [...(raises < 0 ? [] : by.map(raiseBy)), ...(removals < 0 ? [] : there.map(remove))];
}

interface Turn {
  readonly state: State;
  readonly world: World;
  readonly rules: Rules;
  readonly index: number;
  readonly client: Client;
  readonly wish: Wish;
}

/** What one client can do next. */
function clientSteps(turn: Turn): Step[] {
  const { state, client, rules, wish } = turn;
  if (client.phase === 'done') return [];
  if (client.phase === 'idle') {
    const read = rules.reading === 'once' ? { base: nodesAt(state).base } : {};
    return isNext(turn) ? [write(turn, 'makes its node', 'create', { phase: 'in the queue', ...read })] : [];
  }
  const isOver = client.phase === 'holds' && (wish.renew === undefined || client.renewed !== undefined);
  if (isOver) return [write(turn, 'releases', 'delete', blank)];
  const steps = [...newsFor(turn)];
  // Writes reach the leader at any time; what the same client does next waits for their replies.
  if (client.to > 0) return [...steps, raise(turn)];
  if (client.phase === 'writing') {
    if (nodesAt(state).made[turn.index] === undefined) return [...steps, step(turn, 'cannot write its node', blank)];
    return [...steps, write(turn, 'writes its node', 'write', { phase: 'listed', written: state.log.length + 1 })];
  }
  if (client.seen < client.until) return steps;
  const here = nodesAt(state, client.seen);
  if (!client.watched) {
    steps.push(step(turn, 'reads the base', { base: here.base, watched: true }));
  }
  return [...steps, ...ownSteps(turn, here)];
}

function ownSteps(turn: Turn, { made }: Nodes): Step[] {
  const { client, index, world, wish } = turn;
  switch (client.phase) {
    case 'in the queue': {
      if (made[index] === undefined) return [step(turn, 'is gone', blank)];
      if (!isTurn(made, index, world)) return [];
      return [client.watched ? decide(turn) : step(turn, 'lists', { phase: 'listed' })];
    }
    case 'listed':
      return client.watched ? [decide(turn)] : [];
    case 'holds': {
      const renews = step(turn, 'wants to renew', { phase: 'renewing' });
      return [write(turn, 'releases', 'delete', blank), renews];
    }
    case 'renewing':
      return client.watched ? [renew(turn, made[index] !== undefined, wish.renew ?? 0)] : [];
    case 'idle':
    case 'writing':
    case 'done':
      return [];
  }
}

/** A client whose fate is decided: what it knew makes no difference any more. */
const blank = { phase: 'done', seen: 0, until: 0, base: firstBase, watched: true, written: 0 } as const;

function newsFor(turn: Turn): Step[] {
  const { state, client, rules } = turn;
  const steps: Step[] = [];
  const { mzxid } = nodesAt(state, client.seen).base;
  if (client.seen < state.log.length) {
    const fires = rules.reading === 'watched' && nodesAt(state, client.seen + 1).base.mzxid !== mzxid;
    steps.push(step(turn, 'sees one more', { seen: client.seen + 1, watched: client.watched && !fires }));
  }
  if (rules.reading === 'late' && client.watched && mzxid !== client.base.mzxid) {
    steps.push(step(turn, 'gets the event', { watched: false }));
  }
  return steps;
}

function decide(turn: Turn): Step {
  const { client, wish, rules } = turn;
  const { base, written } = client;
  const floor = wish.floor === undefined ? undefined : BigInt(wish.floor);
  const order = czxidOf(turn);
  // Its list shows at least its own node, and a write at least the write.
  const listedAt = written > order ? BigInt(written) : order;
  const minted = rules.mint({ order, mode: wish.mode, floor }, base, listedAt);
  switch (minted.state) {
    case 'minted': {
      const token = Number(minted.token);
      const known = wish.renew === undefined ? blank : {};
      return step(turn, 'is granted', { ...known, phase: 'holds', token });
    }
    case 'raise':
      return step(turn, 'wants to raise the base', { phase: 'listed', to: Number(minted.to) });
    case 'older':
      return step(turn, 'wants to write its node', { phase: 'writing' });
  }
}

function renew(turn: Turn, isThere: boolean, more: number): Step {
  const { client, rules } = turn;
  const renewed = (client.token ?? 0) + more;
  const to = rules.raiseFor(BigInt(renewed), czxidOf(turn), client.base);
  if (to !== undefined) return step(turn, 'wants to raise the base for a later token', { to: Number(to) });
  if (!isThere) return step(turn, 'is lost', blank);
  return step(turn, 'has renewed', { ...blank, phase: 'holds', renewed });
}

function raise(turn: Turn): Step {
  const { state, client, rules } = turn;
  const { base, to } = client;
  const { length } = state.log;
  const watched = client.watched && rules.reading !== 'once';
  if (rules.compareAndSet && base.version !== nodesAt(state).base.version) {
    return step(turn, 'is told of another raise', { to: 0, until: length, watched });
  }
  const log = appended(state.log, { type: 'base', value: to, previous: Number(base.value) }, rules.baseInParent);
  return step({ ...turn, state: { ...state, log } }, 'raises the base', { to: 0, until: length + 1, watched });
}

/** A change of the client's own node. */
function write(turn: Turn, name: string, type: 'create' | 'delete' | 'write', change: Partial<Client>): Step {
  const { state, index, rules } = turn;
  const log = appended(state.log, { type, client: index }, rules.baseInParent);
  return step({ ...turn, state: { ...state, log } }, name, {
    until: change.phase === 'done' ? 0 : log.length,
    ...change,
  });
}

function step({ state, index, client }: Turn, name: string, change: Partial<Client>): Step {
  const clients = state.clients.map((other, place) => (place === index ? { ...client, ...change } : other));
  return { client: index, name, next: { ...state, clients } };
}

/** Of clients with the same wish the first goes first: which of them it is makes no difference. */
function isNext({ state, world, index, wish }: Turn): boolean {
  return state.clients.every(
    (other, place) => place >= index || other.phase !== 'idle' || world.wishes[place] !== wish,
  );
}

function isTurn(made: Nodes['made'], index: number, { wishes }: World): boolean {
  const queue = made.flatMap((zxid, place): Contender[] => {
    return zxid === undefined ? [] : [{ name: `${place}`, sequence: zxid, mode: wishes[place]?.mode ?? 'exclusive' }];
  });
  return judge(queue, `${index}`).state === 'holds';
}

function czxidOf({ state, index }: Turn): bigint {
  return BigInt(state.log.findIndex((entry) => entry.type === 'create' && entry.client === index) + 1);
}
