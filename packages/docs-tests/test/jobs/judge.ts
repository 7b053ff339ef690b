import type { Line, ReplicaJob, Replicas } from './replicas.ts';

/** What became of the rounds of one job. */
export interface Judged {
  readonly rounds: number;
  /** Rounds in which work succeeded. */
  readonly succeeded: number;
  /** Rounds in which it began more than once. */
  readonly again: number;
  /** Rounds in which it succeeded more than once. */
  readonly succeededTwice: number;
  /** Runs beside another one that was still at work. */
  readonly together: number;
  /** Rounds in which it did not begin, by why. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** The lines about the first round that was left out without a reason, and those around it. */
  readonly trace: readonly string[];
  /** The answers, and how often they were given. */
  readonly answers: Readonly<Record<string, number>>;
}

/** Rounds `first` to `last`. Pass lines that were read when all calls had ended. */
export function judge(replicas: Replicas, job: ReplicaJob, first: number, last: number): Judged {
  const lines = replicas.lines().filter(({ key }) => key === job.key);
  const leftOut: Record<string, number> = {};
  const answers: Record<string, number> = {};
  let trace: readonly string[] = [];
  const figures = { succeeded: 0, again: 0, succeededTwice: 0 };
  for (let round = first; round <= last; round += 1) {
    const own = lines.filter((line) => line.round === round);
    for (const line of own) if (line.what === 'answer' || line.what === 'threw') add(answers, String(line.more[0]));
    const ran = runsIn(lines, job, replicas, round);
    if (ran.starts === 0) {
      const why = whyLeftOut(own, lines, replicas, round);
      add(leftOut, why);
      if (why === 'unexplained' && trace.length === 0) trace = traceOf(lines, round);
    }
    if (ran.starts > 1) figures.again += 1;
    if (ran.successes > 0) figures.succeeded += 1;
    if (ran.successes > 1) figures.succeededTwice += 1;
  }
  return { rounds: last - first + 1, ...figures, together: together(lines, replicas), leftOut, answers, trace };
}

/** Where the store names the slots, a run belongs to the one that its answer names. */
function runsIn(
  lines: readonly Line[],
  job: ReplicaJob,
  { base, period }: Replicas,
  round: number,
): { readonly starts: number; readonly successes: number } {
  if (job.every === undefined) {
    const of = (what: string): number => lines.filter((line) => line.what === what && line.round === round).length;
    return { starts: of('start'), successes: of('ok') };
  }
  const at = base + round * period + job.offset;
  // With another "at", the slot is the nearest one.
  const ran = lines.filter(({ what, more: [state, slot] }) => {
    return what === 'answer' && state === 'ran' && Math.abs(Number(slot) - at) * 2 <= period && Number(slot) <= at;
  });
  return { starts: ran.length, successes: ran.length };
}

/** By what callers of the round heard. `unexplained` is a fault of the library. */
function whyLeftOut(own: readonly Line[], all: readonly Line[], replicas: Replicas, round: number): string {
  const heard = own.filter(({ what }) => what === 'answer' || what === 'threw');
  if (!own.some(({ what }) => what === 'call')) return 'no call';
  const isDead = (by: string | undefined): boolean => replicas.killed.has(Number(by?.split(':').at(-1)));
  const slot = String(replicas.slotBase + round * 1_000);
  if (heard.some(({ more: [, at, , by] }) => at === slot && isDead(by))) return 'killed before its work';
  const long = heard.find(({ more: [state, at] }) => state === 'running' && at !== slot);
  if (long !== undefined) {
    const [, at, , by] = long.more;
    const run = (Number(at) - replicas.slotBase) / 1_000;
    const ended = all.some(({ what, round: of, pid }) => {
      return of === run && ['ok', 'failed', 'stopped'].includes(what) && by?.endsWith(`:${pid}`);
    });
    if (ended) return 'the run before was at work';
  }
  const threw = heard.filter(({ what }) => what === 'threw');
  if (heard.length > 0 && threw.length === heard.length) return `all calls: ${String(threw[0]?.more[0])}`;
  // Calls of the next round that the store gets first are served first.
  const later = all.find((line) => line.round === round + 1 && line.what === 'call');
  const first = Math.min(...heard.map(({ at }) => at));
  const isOvertaken = heard.some(({ more: [state] }) => state === 'passed');
  if (isOvertaken && later !== undefined && later.at < first) return 'calls took longer than a round';
  return 'unexplained';
}

function traceOf(lines: readonly Line[], round: number): readonly string[] {
  const around = lines.filter((line) => Math.abs(line.round - round) <= 1);
  const from = around[0]?.at ?? 0;
  return around.map(({ at, pid, what, round: of, more }) => [at - from, pid, what, of, ...more].join(' '));
}

/** Starts while another process was at work, which was no killed one. */
function together(lines: readonly Line[], { killed }: Replicas): number {
  const active = new Set<number>();
  let found = 0;
  for (const { pid, what } of lines) {
    if (what === 'start') {
      if ([...active].some((other) => other !== pid && !killed.has(other))) found += 1;
      active.add(pid);
    } else if (what === 'ok' || what === 'failed' || what === 'stopped') active.delete(pid);
  }
  return found;
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
