import { expect, it } from 'vitest';
import type { JobRecord } from '../../../src/objects/jobs/job-record.ts';
import { begun, crashed, verdictOf } from '../../../src/objects/jobs/verdict.ts';
import { search } from '../../search/search.ts';
import type { Model } from '../../search/search.ts';

/**
 * All interleavings of calls of `once`, over the decisions of the real code: two processes with two
 * calls each for two slots. A process may die at each step, and an operator opens a slot once.
 */
interface Setting {
  readonly retries: number;
  /** Locks are lost by the living, too. There is no operator then. */
  readonly lossy?: boolean;
  /** The step of the protocol that is left out: the checks must find it. */
  readonly without?: 'compare' | 'mark' | 'crash';
}

/** Where it is in its call for the slot `at`, and what it knows. `again`: it begins anew. */
interface Process {
  pc: 'idle' | 'read' | 'take' | 'reread' | 'wait' | 'check' | 'mark' | 'begin' | 'work' | 'end' | 'free' | 'dead';
  calls: number;
  at: number;
  seen?: JobRecord | undefined;
  mine?: JobRecord | undefined;
  token?: number;
  answer?: string;
}

interface State {
  problem?: string;
  lock: { readonly index: number; readonly token: number } | undefined;
  tokens: number;
  record: JobRecord | undefined;
  opened: number;
  starts: number[];
  successes: number[];
  processes: Process[];
}

const calls = 2;
const idle: Process = { pc: 'idle', calls: 0, at: 0 };
const counts = { tokens: 0, opened: 0, starts: [0, 0, 0], successes: [0, 0, 0] };
const first: State = { ...counts, lock: undefined, record: undefined, processes: [idle, idle] };

function modelOf({ retries, lossy = false, without }: Setting): Model<State, State> {
  const verdict = (record: JobRecord | undefined, at: number) => verdictOf(record, at, { retries, after: 0 }, 0);
  const isSame = (one: JobRecord | undefined, other: JobRecord | undefined): boolean =>
    without === 'compare' || JSON.stringify(one) === JSON.stringify(other);

  function tell(next: State, own: Process, answer: string): void {
    const { at } = own;
    if (answer === 'done' && next.successes[at] === 0) next.problem = 'told done without a success';
    const isDone = next.record?.slot === at && next.record.state === 'done';
    if (answer === 'failed' && isDone && next.opened !== at && retries === 0)
      next.problem = 'told failed, and it is done';
    next.processes[next.processes.indexOf(own)] = { pc: 'idle', calls: own.calls, at: 0 };
  }

  /** Under the lock: what to do with the record that was seen. */
  function decide(own: Process): void {
    const isDead = own.seen?.state === 'running' && without !== 'crash';
    const record = isDead ? plain(crashed(own.seen!)) : own.seen;
    own.answer = verdict(record, own.at);
    const run = { slot: own.at, run: String(own.token), by: '', began: 0, next: undefined };
    own.mine = own.answer === 'open' ? plain(begun(record, run)) : record;
    own.pc = own.answer === 'open' ? 'begin' : isDead && record?.slot === own.at ? 'mark' : 'free';
  }

  function take(next: State, own: Process, index: number): Process {
    next.tokens += 1;
    own.token = next.tokens;
    next.lock = { index, token: own.token };
    return own;
  }

  /** One call of the store, with what a process decides by it. `false`: there is no such choice. */
  function step(next: State, index: number, choice: number): boolean {
    const own = next.processes[index]!;
    const hasChoice = own.pc === 'wait' || own.pc === 'work' || (own.pc === 'take' && next.lock !== undefined);
    if (own.pc === 'dead' || (own.pc !== 'idle' && !hasChoice && choice > 0)) return false;
    if (own.pc === 'idle') {
      Object.assign(own, { pc: 'read', at: choice + 1, calls: own.calls + 1 });
      return own.calls <= calls;
    }
    if (own.pc === 'read' || own.pc === 'reread') {
      own.seen = next.record;
      const answer = verdict(own.seen, own.at);
      if (answer !== 'open' && answer !== 'running') tell(next, own, answer);
      else if (own.pc === 'read') own.pc = 'take';
      else if (own.seen?.slot === own.at) tell(next, own, 'running');
      else own.pc = 'wait';
    } else if (own.pc === 'take') {
      if (next.lock === undefined) decide(take(next, own, index));
      else own.pc = choice === 0 ? 'reread' : 'wait';
    } else if (own.pc === 'wait') {
      if (choice === 0) tell(next, own, 'running');
      else if (next.lock !== undefined) return false;
      else take(next, own, index).pc = 'check';
    } else if (own.pc === 'check') {
      own.seen = next.record;
      decide(own);
    } else if (own.pc === 'mark') {
      if (isSame(next.record, own.seen)) next.record = own.mine;
      else if (without !== 'mark') own.answer = 'again';
      own.pc = 'free';
    } else if (own.pc === 'begin') {
      if (isSame(next.record, own.seen)) {
        next.record = own.mine;
        next.starts[own.at]! += 1;
        own.pc = 'work';
      } else Object.assign(own, { pc: 'free', answer: 'again' });
    } else if (own.pc === 'work') {
      if (choice === 0) next.successes[own.at]! += 1;
      Object.assign(own, { pc: 'end', answer: choice === 0 ? 'ran' : 'threw' });
    } else if (own.pc === 'end') {
      if (isSame(next.record, own.mine))
        next.record = { ...own.mine!, state: own.answer === 'ran' ? 'done' : 'failed' };
      own.pc = 'free';
    } else {
      if (next.lock?.token === own.token) next.lock = undefined;
      if (own.answer !== 'again') tell(next, own, own.answer!);
      else next.processes[index] = { pc: 'read', calls: own.calls, at: own.at };
    }
    return true;
  }

  function nextOf(state: State): State[] {
    const found: State[] = [];
    for (const [index, { pc }] of state.processes.entries()) {
      for (const choice of [0, 1]) {
        const next = copyOf(state);
        if (step(next, index, choice)) found.push(next);
      }
      if (pc === 'idle' || pc === 'dead') continue;
      const dead = copyOf(state);
      dead.processes[index] = { pc: 'dead', calls, at: 0 };
      found.push(dead);
    }
    const { lock, record, opened } = state;
    const ends = lock !== undefined && (lossy || state.processes[lock.index]?.pc === 'dead');
    if (ends) found.push({ ...copyOf(state), lock: undefined });
    const isOver =
      record !== undefined && record.state !== 'open' && (record.state !== 'running' || lock === undefined);
    if (isOver && !lossy && opened === 0)
      found.push({ ...copyOf(state), opened: record.slot, record: { ...record, state: 'open' } });
    return found;
  }

  function problemOf({ problem, starts, opened, processes, record, lock }: State): string | undefined {
    for (const [slot, count] of starts.entries())
      if (count > (retries + 1) * (opened === slot ? 2 : 1)) return `${count} runs in a slot`;
    if (!lossy && processes.filter(({ pc }) => pc === 'work').length > 1) return 'two at work';
    // Where no process is at work and tries are left, a call alone runs.
    const isIdle = lock === undefined && processes.every(({ pc }) => pc === 'idle' || pc === 'dead');
    if (!isIdle || record === undefined || record.state === 'done' || record.tries > retries) return problem;
    const call: State = { ...copyOf(first), record, processes: [{ pc: 'read', calls, at: record.slot }] };
    for (let steps = 0; steps < 20 && call.processes[0]!.pc !== 'work'; steps += 1) step(call, 0, 0);
    return call.processes[0]!.pc === 'work' ? problem : 'a call alone does not run';
  }

  return {
    start: first,
    events: nextOf,
    apply: (_, next) => next,
    // Processes are alike, but for the holder of the lock.
    hash: ({ processes, lock, ...rest }, hash) =>
      hash.plain([rest, lock?.token, new Set(processes.map((process, index) => [lock?.index === index, process]))]),
    problem: problemOf,
    unfinished: () => undefined,
    tell: ({ processes, record }) => JSON.stringify([processes.map(({ pc }) => pc), record]),
  };
}

function copyOf(state: State): State {
  const { starts, successes, processes } = state;
  return { ...state, starts: [...starts], successes: [...successes], processes: processes.map((own) => ({ ...own })) };
}

/** Without what no decision looks at. */
function plain(record: JobRecord): JobRecord {
  return { ...record, failures: 0 };
}

it.each<Setting>([{ retries: 0 }, { retries: 1 }, { retries: 0, lossy: true }])(
  'keeps its promises in all interleavings: %o',
  (setting) => {
    const { states, problem } = search(modelOf(setting));
    expect(problem).toBeUndefined();
    expect(states).toBeGreaterThan(10_000);
  },
  120_000,
);

it.each<[Setting, string]>([
  [{ retries: 0, lossy: true, without: 'compare' }, '2 runs in a slot'],
  [{ retries: 0, without: 'mark' }, 'told failed, and it is done'],
  [{ retries: 1, without: 'crash' }, 'a call alone does not run'],
])('finds what goes wrong in %o', (setting, expected) => {
  expect(search(modelOf(setting)).problem).toBe(expected);
});
