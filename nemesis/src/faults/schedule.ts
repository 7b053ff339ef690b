import type { Random } from '../random.ts';

/** What can be done to a worker, to its network, and to a server. */
const workerFaults = ['kill', 'pause'] as const;
const networkFaults = [
  'cut',
  'break',
  'strand',
  'silence',
  'no-requests',
  'no-replies',
  'delay',
  'drop-reply',
  'late',
  'refuse',
] as const;
const serverFaults = ['server-pause', 'server-restart'] as const;
const memberFaults = ['server-cut-off', 'server-lag'] as const;
const emptyRestart = 'server-empty';
export type FaultKind =
  | (typeof workerFaults)[number]
  | (typeof networkFaults)[number]
  | (typeof serverFaults)[number]
  | (typeof memberFaults)[number]
  | typeof emptyRestart;

/** One fault to come. */
export interface PlannedFault {
  readonly kind: FaultKind;
  /** In ms from the begin of the round. */
  readonly at: number;
  /** In ms. Of what happens with the next piece on the wire: it waits so long for one. */
  readonly duration: number;
  /** The number of the worker's slot, or that of the server. */
  readonly target: number;
  /** Which server's connections of the worker have it. @default those of all */
  readonly link?: number;
}

/** What a schedule is made for. */
export interface ScheduleOptions {
  /** In ms: all faults are over by then. */
  readonly length: number;
  /** In ms: what the lengths of faults are measured by. */
  readonly ttl: number;
  readonly workers: number;
  /** 0: no network and no server. */
  readonly servers: number;
  /** The servers can be cut off from each other. */
  readonly members: boolean;
  /** Servers come back empty in turn, in place of other faults of servers. */
  readonly empty?: EmptyRestarts | undefined;
  /** Servers have no faults, and a worker loses one of them at a time. */
  readonly oneLink?: boolean;
}

/** How servers come back empty. */
export interface EmptyRestarts {
  /** In ms. */
  readonly every: number;
  /** So many at the same time. */
  readonly atOnce: number;
}

/**
 * Plans the faults of one round. Those of one worker never overlap, nor do those of servers, so
 * that a majority stays.
 */
export function planFaults(
  random: Random,
  { length, ttl, workers, servers, members, empty, oneLink = false }: ScheduleOptions,
): PlannedFault[] {
  const plan: PlannedFault[] = empty === undefined ? [] : planEmptyRestarts(random, length, servers, empty);
  const busyUntil = new Map<string, number>();
  for (let at = random.between(100, 500); at < length; at += random.between(100, 800)) {
    const kind = chooseKind(random, servers > 0, members);
    if ((empty !== undefined || oneLink) && kind.startsWith('server')) continue;
    const onServer = kind.startsWith('server');
    const target = Math.floor(random.between(0, onServer ? servers : workers));
    const duration = Math.min(chooseDuration(random, kind, ttl), length - at);
    const name = onServer ? 'server' : `worker ${target}`;
    if ((busyUntil.get(name) ?? 0) > at) continue;
    busyUntil.set(name, at + duration + (onServer ? 2 * ttl : 200));
    plan.push({ kind, at, duration, target, ...(oneLink ? { link: Math.floor(random.between(0, servers)) } : {}) });
  }
  return plan;
}

function planEmptyRestarts(
  random: Random,
  length: number,
  servers: number,
  { every, atOnce }: EmptyRestarts,
): PlannedFault[] {
  const plan: PlannedFault[] = [];
  const first = Math.floor(random.between(0, servers));
  for (let at = every / 2; at < length; at += every) {
    const duration = Math.min(random.between(0, every / 10), length - at);
    for (let count = 0; count < atOnce; count += 1) {
      plan.push({ kind: emptyRestart, at, duration, target: (first + plan.length) % servers });
    }
  }
  return plan;
}

function chooseKind(random: Random, withServers: boolean, members: boolean): FaultKind {
  const choice = random.next();
  if (!withServers || choice < 0.35) return random.pick(workerFaults);
  if (choice < 0.85) return random.pick(networkFaults);
  return members && random.chance(0.5) ? random.pick(memberFaults) : random.pick(serverFaults);
}

function chooseDuration(random: Random, kind: FaultKind, ttl: number): number {
  switch (kind) {
    case 'pause':
    case 'server-pause':
    case 'server-cut-off':
    case 'server-lag':
      return random.between(0.5, 2) * ttl;
    case 'kill':
    case 'server-restart':
      return random.between(0, 0.5) * ttl;
    case 'cut':
      return 0;
    default:
      return random.between(0.2, 2) * ttl;
  }
}
