import { lackingFor, planChange, textFor } from '../../src/set/change-quorum.ts';
import type { ChangePlan } from '../../src/set/change-quorum.ts';
import { judge, latestOf, readRecord, textOf } from '../../src/set/set-record.ts';
import type { Told } from '../../src/set/set-record.ts';
import type { Model } from '../../../core/test/search/search.ts';
import { choices } from './model-state.ts';
import type { Change, Event, Process, State, Story } from './model-state.ts';

const noId = (): string => 'none';

/** Processes that check at their start alone, and commands, in each order of their calls. */
export function modelOf(story: Story): Model<State, Event> {
  const { first, processes: sets, changes: targets, simultaneous = false, emptied = 0, starts = 1, flaw } = story;
  const stores = [...new Set([first, ...targets].join(''))];
  const history = [first, ...targets];
  const need = (set: string): number => Math.floor(set.length / 2) + 1;
  const busy = ({ state }: Process): boolean => state === 'reading' || state === 'acting';

  /** While change `index` begins or is under way, no process of the set before the last may run. */
  function forbidden(index: number): string | undefined {
    return simultaneous || flaw === 'no rule' ? undefined : history[index - 1];
  }

  function mayStart(state: State, set: string): boolean {
    return state.changes.every(({ state: at }, index) => at === 'idle' || at === 'done' || forbidden(index) !== set);
  }

  function mayBegin({ changes, processes }: State, index: number): boolean {
    const before = changes.slice(0, index);
    // The one with --force comes when the others have ended.
    if (simultaneous) return index < 2 || before.every(({ state }) => state === 'failed');
    const old = processes.some((process, each) => busy(process) && sets[each] === forbidden(index));
    return before.every(({ state }) => state === 'done') && !old;
  }

  return {
    start: {
      registers: Object.fromEntries(
        [...first].map((id) => [id, textOf({ id, epoch: 2, members: [...first], was: [] })]),
      ),
      processes: sets.map(() => ({ state: 'off', starts: 0, told: [] })),
      changes: targets.map(() => ({ state: 'idle', told: [], plan: undefined, step: 0, asked: 0 })),
      emptied: 0,
    },
    events(state) {
      const own = state.processes.flatMap((process, who): Event[] => {
        const set = sets[who] as string;
        if (process.state === 'acting' || process.state === 'refused') {
          const late: Event = { kind: 'reads late', who };
          return process.told.includes(undefined) ? [late, { kind: 'stops', who }] : [{ kind: 'stops', who }];
        }
        if (process.state === 'off' && (process.starts === (who === 0 ? starts : 1) || !mayStart(state, set)))
          return [];
        const silent = process.told.filter((each) => each === undefined).length;
        const reads: Event = { kind: 'reads', who, answers: [true] };
        return silent < set.length - need(set) ? [reads, { ...reads, answers: [false] }] : [reads];
      });
      const commands = state.changes.flatMap((change, who): Event[] => {
        if (change.state === 'idle') return mayBegin(state, who) ? [{ kind: 'begins', who }] : [];
        if (change.state !== 'writing') return [];
        if (simultaneous) return [{ kind: 'writes', who, answers: [true] }];
        const target = targets[who] as string;
        const all = Array.from({ length: 2 ** target.length }, (_, mask) =>
          [...target].map((__, at) => (mask & (1 << at)) > 0),
        );
        // As few as may decide, and one fewer, where that is a majority of the new members alone.
        const most = Math.max(need(target), need(history[who] as string));
        const enough = all.filter((answers) => {
          const count = answers.filter(Boolean).length;
          return count >= need(target) && count <= most;
        });
        return enough.map((answers) => ({ kind: 'writes', who, answers }) as const);
      });
      const losses = state.emptied < emptied ? stores.map((_, who) => ({ kind: 'is emptied', who }) as const) : [];
      return [...own, ...commands, ...losses];
    },
    apply,
    hash({ changes, ...state }, hash) {
      hash.plain([state, changes.map(({ plan, ...change }) => [change, plan?.epochs[0]])]);
    },
    problem({ processes }) {
      if (processes.filter(({ state }) => state === 'acting').length < 2) return undefined;
      const quorums = processes.flatMap(({ state, told }, who) => {
        const set = [...(sets[who] as string)];
        return state === 'acting'
          ? [
              choices(
                set.filter((_, index) => told[index] !== undefined),
                need(sets[who] as string),
              ),
            ]
          : [];
      });
      const disjoint = quorums.some((ones) =>
        quorums.some((others) =>
          ones.some((one) => others.some((other) => one.every((store) => !other.includes(store)))),
        ),
      );
      return disjoint ? 'two sets with disjoint majorities are in use' : undefined;
    },
    unfinished: () => undefined,
    tell({ kind, who, answers = [] }) {
      if (kind === 'is emptied') return `${stores[who]} is emptied`;
      const subject = /begins|writes/.test(kind) ? `change to ${targets[who]}` : `P${who + 1} of ${sets[who]}`;
      return `${subject} ${kind} ${answers.map((answer) => (answer ? '+' : '-')).join('')}`;
    },
  };

  function apply(state: State, { kind, who, answers = [] }: Event): State {
    if (kind === 'is emptied') {
      const registers = { ...state.registers, [stores[who] as string]: undefined };
      return { ...state, registers, emptied: state.emptied + 1 };
    }
    if (kind === 'begins' || kind === 'writes') return changed(state, kind, who, answers);
    const process = state.processes[who] as Process;
    const set = [...(sets[who] as string)];
    let { registers } = state;
    const become = (after: Partial<Process>): State => ({
      ...state,
      registers,
      processes: state.processes.with(who, { ...process, told: [], ...after }),
    });
    if (kind === 'stops') return become({ state: 'off' });
    const isLate = kind === 'reads late';
    const text = registers[set[process.told.length] as string];
    const told: Told[] = isLate
      ? set.map((store) => ({ text: registers[store] }))
      : [...process.told, answers[0] === true ? { text } : undefined];
    const count = process.starts + (process.told.length === 0 ? 1 : 0);
    if (told.length < set.length) return become({ state: 'reading', starts: count, told });
    // It would be the first of a new quorum, which docs/quorum.md lists as not noticed.
    if (latestOf(told.map((each) => readRecord(each?.text))) === undefined) return become({ state: 'off' });
    for (;;) {
      const { other, tooFew, writes } = judge(told, noId);
      // What it holds, it holds on.
      if (other !== undefined || tooFew === true) return isLate ? state : become({ state: 'refused' });
      const [write] = writes;
      if (write === undefined) return become({ state: 'acting', told });
      const [after, now] = compareAndSet(registers, set[write.index] as string, write.from, write.to);
      registers = after;
      told[write.index] = { text: now };
    }
  }

  function changed(state: State, kind: 'begins' | 'writes', who: number, answers: readonly boolean[]): State {
    const change = state.changes[who] as Change;
    const target = [...(targets[who] as string)];
    const become = (after: Partial<Change>, registers = state.registers): State => ({
      ...state,
      registers,
      changes: state.changes.with(who, { ...change, ...after }),
    });
    if (kind === 'begins') {
      // A store without a register has its letter as an id, as if it had been given before.
      const told = target.map((id) => ({
        text: state.registers[id] ?? (first.includes(id) ? undefined : textOf({ id, epoch: 0, members: [], was: [] })),
      }));
      const registers = Object.fromEntries(target.map((id, index) => [id, told[index]?.text]));
      try {
        const plan = planChange(told, target, simultaneous && who === 2);
        const step = flaw === 'no proposal' ? plan.epochs.length - 1 : 0;
        return become({ state: 'writing', told, plan, step }, { ...state.registers, ...registers });
      } catch {
        return become({ state: 'failed' });
      }
    }
    const plan = change.plan as ChangePlan;
    const epoch = plan.epochs[change.step] as number;
    const told = [...change.told];
    let { registers } = state;
    for (const [offset, answer] of answers.entries()) {
      // Two that are simultaneous ask the members in opposite orders.
      const member = who === 1 && simultaneous ? target.length - 1 - change.asked - offset : change.asked + offset;
      if (!answer) continue;
      const to = textFor(plan, epoch, member);
      const [after, text] = compareAndSet(registers, target[member] as string, told[member]?.text, to);
      registers = after;
      told[member] = { text };
    }
    const asked = change.asked + answers.length;
    if (asked < target.length) return become({ told, asked }, registers);
    const failed = lackingFor(plan, epoch, told) !== undefined;
    if (failed) return become({ state: 'failed', told: [], plan: undefined, asked: 0 }, registers);
    if (change.step + 1 < plan.epochs.length) return become({ step: change.step + 1, told, asked: 0 }, registers);
    return become({ state: 'done', told: [], plan: undefined, asked: 0 }, registers);
  }

  function compareAndSet(
    registers: State['registers'],
    store: string,
    from: string | undefined,
    to: string,
  ): readonly [State['registers'], string | undefined] {
    const now = registers[store];
    return now === from ? [{ ...registers, [store]: to }, to] : [registers, now];
  }
}
