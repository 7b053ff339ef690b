import type { Turn } from '../script.ts';
import type { NemesisTarget } from '../target.ts';
import type { Random } from './random.ts';

/** A key that changes hands often, some that are held longer, and one of each other kind. */
const keys = {
  busy: 'busy',
  exclusive: ['first', 'second {ä}'],
  permits: 'permits',
  mixed: 'mixed',
  leader: 'leader',
  job: 'report',
  retried: 'cleanup',
} as const;

/** Weights of the calls. */
const calls = {
  acquire: 30,
  withLock: 20,
  tryAcquire: 10,
  tryWithLock: 5,
  multiLock: 6,
  once: 4,
  elect: 4,
  transfer: 6,
  downgrade: 6,
  burst: 2,
} as const;

/** Weights of what work does besides the guarded write. */
const insides = { nothing: 100, renew: 8, release: 5, again: 5, stop: 3, block: 2, force: 2, close: 4 } as const;

/** Several permits have no cooldown, and are not reentrant. */
const several = { count: 2, atLeast: 0, reentrant: false } as const;

/** Turns that affect a whole process are rare. */
const rare: ReadonlySet<string> = new Set(['block', 'force', 'close']);
const whole = Math.round;

/** Draws a turn that `target` supports. */
export function drawTurn(random: Random, target: NemesisTarget): Turn {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const turn = spareBusy(random, drawAny(random, target.ttl));
    if (target.can?.(turn) !== false) return turn;
  }
  return { key: keys.busy, mode: 'exclusive', how: 'acquire', think: 5, hold: 5 };
}

/** The key that changes hands often is rarely held for long: all would wait for it. */
function spareBusy(random: Random, turn: Turn): Turn {
  const isBusy = turn.key === keys.busy || turn.more?.includes(keys.busy) === true;
  return isBusy && random.chance(0.8) ? { ...turn, hold: Math.min(turn.hold, 20) } : turn;
}

function drawAny(random: Random, ttl: number): Turn {
  const call = random.weighed(calls);
  const base = { think: whole(random.between(0, 5)), ...drawHold(random, ttl) };
  const wait = whole(random.between(20, 2 * ttl));
  const own = { mode: 'exclusive', ...base } as const;
  const inside = drawInside(random, call);
  switch (call) {
    case 'multiLock':
      return { ...own, ...inside, key: random.pick(keys.exclusive), more: [keys.busy], how: 'multiLock', wait };
    case 'once':
      return random.chance(0.3)
        ? { ...own, ...inside, key: keys.retried, how: 'once', ttl, retries: true }
        : { ...own, ...inside, key: keys.job, how: 'once', ttl };
    case 'elect':
      return { ...own, ...inside, key: keys.leader, how: 'elect', ttl, wait };
    case 'transfer':
      return { ...own, key: random.pick(keys.exclusive), how: 'acquire', wait, next: 'transfer' };
    case 'downgrade':
      return { ...own, key: keys.mixed, how: 'acquire', wait, next: 'downgrade' };
    case 'burst':
      // More simultaneous calls than any window.
      return { ...own, ...drawKey(random), hold: 0, how: 'tryAcquire', times: random.integer(100, 400), every: 40 };
    default:
      return { ...base, ...drawOptions(random, ttl, call), ...drawKey(random), ...inside };
  }
}

function drawKey(random: Random): Pick<Turn, 'key' | 'mode' | 'permits' | 'count'> {
  switch (random.weighed({ busy: 50, exclusive: 20, permits: 15, mixed: 15 })) {
    case 'busy':
      return { key: keys.busy, mode: 'exclusive' };
    case 'exclusive':
      return { key: random.pick(keys.exclusive), mode: 'exclusive' };
    case 'permits':
      return { key: keys.permits, mode: 'shared', permits: 3, ...(random.chance(0.2) ? several : {}) };
    default:
      return { key: keys.mixed, mode: random.chance(0.7) ? 'shared' : 'exclusive' };
  }
}

function drawOptions(
  random: Random,
  ttl: number,
  how: 'acquire' | 'withLock' | 'tryAcquire' | 'tryWithLock',
): Pick<Turn, 'how'> & Partial<Turn> {
  const waits = random.chance(how === 'acquire' || how === 'withLock' ? 0.25 : 0.5);
  return {
    how,
    ...(waits ? { wait: whole(random.between(20, 2 * ttl)) } : {}),
    ...(random.chance(0.1) ? { abortAfter: whole(random.between(1, ttl)) } : {}),
    ...(random.chance(0.1) ? { ttl: 2 * ttl } : {}),
    ...(random.chance(0.05) ? { lockDelay: whole(random.between(0.1, 0.5) * ttl) } : {}),
    ...(random.chance(0.05) ? { atLeast: whole(random.between(0.05, 0.3) * ttl) } : {}),
    ...(random.chance(0.3) ? { byObject: true } : {}),
    ...(how === 'withLock' && random.chance(0.5) ? { reentrant: true } : {}),
  };
}

function drawInside(random: Random, call: string): Partial<Turn> {
  const inside = random.weighed(insides);
  if (inside === 'nothing' || (inside === 'stop' && call !== 'elect')) return {};
  // The lock of a job has a separate name.
  if (call === 'once' && (inside === 'again' || inside === 'force')) return {};
  return {
    inside,
    ...(rare.has(inside) ? { every: inside === 'close' ? random.integer(5, 15) : random.integer(15, 40) } : {}),
  };
}

/** Mostly short; some need renewals, or outlast a ttl without any, in a few repetitions. */
function drawHold(random: Random, ttl: number): Pick<Turn, 'hold' | 'renew' | 'every'> {
  const every = random.integer(3, 12);
  switch (random.weighed({ moment: 85, part: 6, long: 5, unrenewed: 4 })) {
    case 'moment':
      return { hold: whole(random.between(0, 20)) };
    case 'part':
      return { hold: whole(random.between(0.1, 0.6) * ttl), every };
    case 'long':
      return { hold: whole(random.between(0.8, 2.5) * ttl), every };
    default:
      return { hold: whole(random.between(0.5, 1.5) * ttl), renew: false, every };
  }
}
