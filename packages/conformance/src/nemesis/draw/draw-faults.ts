import type { Direction } from '../../faults/faults.ts';
import type { Fault } from '../script.ts';
import type { NemesisTarget } from '../target.ts';
import type { Random } from './random.ts';

/** Weights of the faults of a process. */
const ofProcess = { kill: 3, pause: 3, block: 2, 'clock-step': 1 } as const;
/** Weights of the faults of its network. */
const ofNetwork = {
  cut: 2,
  break: 2,
  strand: 2,
  silence: 2,
  'no-requests': 2,
  'no-replies': 2,
  delay: 2,
  jitter: 1,
  'drop-reply': 3,
  late: 4,
  refuse: 1,
  flap: 1,
  duplicate: 1,
} as const;

/** One by one: a worker is replaced by one with another opening. */
export const deploy = 'deploy';

/** A fault of a process. */
export type ProcessFault = keyof typeof ofProcess;
/** A fault of its network. */
export type NetworkFault = keyof typeof ofNetwork;

/** The kinds of faults that `target` can have. */
export function faultKinds({ servers = [], faults = {}, duplicable = false }: NemesisTarget): readonly string[] {
  const network = Object.keys(ofNetwork).filter((kind) => duplicable || kind !== 'duplicate');
  return [...Object.keys(ofProcess), ...(servers.length > 0 ? network : []), ...Object.keys(faults)];
}

interface FaultOptions {
  readonly length: number;
  readonly workers: number;
  readonly faults?: readonly string[] | undefined;
}

/**
 * Draws faults that are over at the end. Those of one worker never overlap, nor do those of
 * servers, so that a majority stays.
 */
export function drawFaults(random: Random, target: NemesisTarget, options: FaultOptions): Fault[] {
  const { length, workers, faults: wanted } = options;
  const { ttl, servers = [] } = target;
  const kinds = new Set(faultKinds(target).filter((kind) => wanted?.includes(kind) !== false));
  // A replaced worker is not killed in addition.
  const excluded = target.deploys === undefined ? undefined : 'kill';
  const among = <Kind extends string>(weights: Readonly<Record<Kind, number>>) =>
    Object.fromEntries(Object.entries(weights).filter(([kind]) => kinds.has(kind) && kind !== excluded)) as Record<
      Kind,
      number
    >;
  const weights = { process: among(ofProcess), network: among(ofNetwork), server: among(serverWeights(target)) };
  const groups = { process: 35, network: 50, server: 15 };
  const drawable = Object.entries(groups).filter(([group]) => Object.keys(weights[group as 'server']).length > 0);
  if (drawable.length === 0) return [];
  const drawn: Fault[] = [];
  const busyUntil = new Map<string, number>();
  // What never recovers shows in a round with few faults only.
  const sparse = random.chance(0.3) ? 12 : 1;
  for (let at = random.between(100, 500); at < length; at += sparse * random.between(100, 800)) {
    const group = random.weighed(Object.fromEntries(drawable)) as keyof typeof groups;
    const kind = random.weighed<string>(weights[group]);
    const [low, high] = lastsOf(target, kind);
    const duration = Math.round(Math.min(random.between(low, high) * ttl, length - at));
    const worker = random.integer(0, workers);
    const name = group === 'server' ? group : `${worker}`;
    if ((busyUntil.get(name) ?? 0) > at) continue;
    const { recovery = 2 * ttl, targets = servers.length } =
      (group === 'server' ? target.faults?.[kind] : undefined) ?? {};
    busyUntil.set(name, at + duration + (group === 'server' ? recovery : 200));
    const fault = { kind, at: Math.round(at), duration };
    if (group === 'server') {
      drawn.push({ ...fault, server: random.integer(0, targets), amount: random.integer(50, 600) });
    } else {
      const link = group === 'network' && servers.length > 1 && random.chance(0.5);
      const server = link ? { server: random.integer(0, servers.length) } : {};
      drawn.push({ ...fault, worker, ...server, ...drawDetails(random, kind, ttl) });
    }
  }
  return [...drawn, ...drawDeploys(random, target, options)].toSorted((one, other) => one.at - other.at);
}

/** All workers move to the next opening, and one per deploy is killed instead of ended. */
function drawDeploys(random: Random, { deploys = [] }: NemesisTarget, { length, workers }: FaultOptions): Fault[] {
  const [, ...later] = deploys;
  return later.flatMap((opening, index) => {
    const killed = random.integer(0, workers);
    const at = Math.round(((index + 0.5) / later.length) * length);
    return Array.from({ length: workers }, (_, worker) => {
      const amount = worker === killed ? { amount: 1 } : {};
      return { kind: deploy, at, duration: 0, worker, opening, ...amount };
    });
  });
}

function serverWeights({ faults = {} }: NemesisTarget): Record<string, number> {
  return Object.fromEntries(Object.entries(faults).map(([kind, { weight = 1 }]) => [kind, weight]));
}

/** In ttls: from and to. */
function lastsOf({ faults = {} }: NemesisTarget, kind: string): readonly [number, number] {
  const own = faults[kind];
  if (own !== undefined) return own.lasts ?? [0.5, 2];
  if (kind === 'pause' || kind === 'block') return [0.5, 2];
  if (kind === 'kill') return [0, 0.5];
  return kind === 'cut' ? [0, 0] : [0.2, 2];
}

/** Which way, and how much, where that matters. */
function drawDetails(random: Random, kind: string, ttl: number): Pick<Fault, 'direction' | 'amount'> {
  const direction = random.pick<Direction>(['requests', 'replies', 'both']);
  switch (kind) {
    case 'break':
      return { direction: direction === 'both' ? 'requests' : direction };
    case 'delay':
    case 'jitter':
      return { direction, amount: random.integer(20, 400) };
    case 'flap':
      return { direction, amount: random.integer(50, 400) };
    case 'late':
      return { direction: random.pick(['requests', 'requests', 'both']) };
    case 'clock-step':
      return { amount: random.pick([-1, 1]) * random.integer(ttl, 3_600_000) };
    default:
      return {};
  }
}
