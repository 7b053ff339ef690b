import type { Ask, ControlEvent, RegisterEvent, RunLog, WorkerEvent } from '../src/log/events.ts';

/** Microseconds of so many ms. */
export function at(ms: number): number {
  return 1_000_000 + ms * 1_000;
}

const exclusive: Ask = { key: 'k', mode: 'exclusive', how: 'acquire', renew: true, reentrant: false, calm: false };

/**
 * The lines of one lease: called and granted at `from`, promised for `left` ms, and released at
 * `to`.
 */
export function lease(
  id: string,
  token: number,
  { from, to, left = 1_000, ask = {}, answer = true }: LeaseOptions,
): WorkerEvent[] {
  const events: WorkerEvent[] = [
    { ev: 'call', t: at(from), id, ask: { ...exclusive, ...ask } },
    { ev: 'grant', t: at(from), id, token: `${token}`, left },
  ];
  if (to === undefined) return events;
  return [
    ...events,
    { ev: 'release', t: at(to), id, left: Math.max(0, left - (to - from)) },
    { ev: 'released', t: at(to + 1), id, answer },
  ];
}

interface LeaseOptions {
  /** In ms. */
  readonly from: number;
  /** In ms; absent: it was never released. */
  readonly to?: number;
  readonly left?: number;
  readonly ask?: Partial<Ask>;
  readonly answer?: boolean | string;
}

/** Logs of workers that were all killed at the end, so that nothing need be answered. */
export function logOf(
  workers: Readonly<Record<string, readonly WorkerEvent[]>>,
  register: readonly RegisterEvent[] = [],
  control: readonly ControlEvent[] = killed(Object.keys(workers)),
): RunLog {
  return { workers: new Map(Object.entries(workers)), register, control };
}

function killed(workers: readonly string[]): ControlEvent[] {
  return workers.map((worker) => ({ ev: 'exit', t: at(10_000), worker, how: 'killed' }));
}
