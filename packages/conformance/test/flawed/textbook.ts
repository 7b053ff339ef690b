import { setImmediate as turn } from 'node:timers/promises';
import { LockError } from '@locks/core';
import type { Busy, Claim, Grant, KeyState, LockProvider, Mode, Renewal, Traits } from '@locks/core';

/** A hold in the store. */
export interface Hold {
  readonly owner: string;
  mode: Mode;
  permits: number | undefined;
  token: bigint;
  expires: number;
}

/** A position in the queue. */
export interface Place {
  readonly owner: string;
  readonly mode: Mode;
  readonly permits: number | undefined;
  /** When it lapses, unless its claim is repeated before. */
  until: number;
  /** Tells the provider of this waiter. */
  readonly tell: () => void;
}

/** What the store keeps about one key. */
export interface Entry {
  holds: Hold[];
  queue: Place[];
  token: bigint;
}

/** What several textbook providers share. */
export type Store = Map<string, Entry>;

const registers = new WeakMap<Store, Map<string, string>>();

/** The texts of the registers in `store`, by name. */
export function registersIn(store: Store): Map<string, string> {
  const texts = registers.get(store) ?? new Map<string, string>();
  registers.set(store, texts);
  return texts;
}

/** `give-up`: a release that freed no hold. */
export type Operation = 'acquire' | 'renew' | 'release' | 'give-up' | 'inspect';

/** The decisions of a provider, each of which a flaw can get wrong. */
export interface Rules {
  readonly keyOf: (key: string) => string;
  readonly mint: (entry: Entry, floor: bigint) => bigint;
  /** Whether the holders leave room for one more of this kind. */
  readonly admits: (entry: Entry, claim: Pick<Claim, 'mode'> & { readonly permits?: number | undefined }) => boolean;
  /** Whether those in the queue let this owner try. */
  readonly inTurn: (entry: Entry, claim: Claim) => boolean;
  readonly enqueue: (entry: Entry, place: Place) => void;
  /** A waiter gives up its place. */
  readonly leave: (entry: Entry, owner: string) => void;
  readonly afterExpiry: (entry: Entry) => void;
  /** How long a position in the queue lasts without a repeat, in ms. */
  readonly placeTtl: number;
  /** Whether an attempt without wake takes a position in the queue too. */
  readonly enqueueAlways: boolean;
  /** A repeat by a holder. */
  readonly repeat: (hold: Hold, claim: Claim, now: number, entry: Entry) => void;
  readonly renew: (hold: Hold, claim: Claim, now: number, entry: Entry) => void;
  readonly mayRelease: (hold: Hold, claim: Claim) => boolean;
  readonly afterRelease: (entry: Entry) => void;
  /** Who should be told after this operation. */
  readonly toTell: (entry: Entry, operation: Operation, admits: Rules['admits']) => Place | undefined;
}

/** The rules of a provider that conforms. */
export const sound: Rules = {
  keyOf: (key) => key,
  mint: (entry, floor) => (entry.token > floor ? entry.token : floor) + 1n,
  admits: ({ holds }, { mode, permits }) => {
    if (holds.length === 0) return true;
    if (mode === 'exclusive' || holds.some((hold) => hold.mode === 'exclusive')) return false;
    return holds.length < (permits ?? Infinity);
  },
  inTurn: ({ queue }, { owner }) => queue.length === 0 || queue[0]?.owner === owner,
  enqueue: ({ queue }, place) => {
    if (!queue.some(({ owner }) => owner === place.owner)) queue.push(place);
  },
  leave: removePlace,
  afterExpiry: () => {},
  // The next in the queue asks after a third of it: a wake that is missing shows before that.
  placeTtl: 9_000,
  enqueueAlways: false,
  repeat: (hold, claim, now, entry) => {
    if (hold.mode === 'shared' && claim.mode === 'exclusive')
      throw new LockError('LOCK_INVALID', 'A shared hold cannot become exclusive.');
    hold.mode = claim.mode;
    hold.permits = claim.permits;
    restart(hold, claim, now, entry);
  },
  renew: restart,
  mayRelease: (hold, { owner }) => hold.owner === owner,
  afterRelease: () => {},
  toTell: (entry, _operation, admits) => {
    const [head] = entry.queue;
    return head !== undefined && admits(entry, head) ? head : undefined;
  },
};

function restart(hold: Hold, { ttl }: Claim, now: number, { queue }: Entry): void {
  // The head was told a later end of the hold.
  if (now + ttl < hold.expires) queue[0]?.tell();
  hold.expires = now + ttl;
}

function removePlace(entry: Entry, owner: string): void {
  entry.queue = entry.queue.filter((place) => place.owner !== owner);
}

export const textbookTraits: Traits = {
  scope: 'process',
  expiry: 'ttl',
  fencing: 'clock-bounded',
  fair: true,
  shared: true,
  wake: true,
};

/**
 * The contract as plainly as it can be written, with a turn of the event loop on the way there and
 * one on the way back. It shows that the suite accepts more than one implementation, and carries
 * the flaws that the suite must find.
 */
export function createTextbook(store: Store, changes: Partial<Rules> = {}): LockProvider {
  const rules: Rules = { ...sound, ...changes };
  const wakes = new Map<string, () => void>();
  let closed = false;

  async function onServer<T>(key: string, operation: Operation, act: (entry: Entry, now: number) => T): Promise<T> {
    if (closed) throw new LockError('LOCK_CLOSED', 'This provider is closed.');
    await turn();
    const now = performance.now();
    const name = rules.keyOf(key);
    const entry = store.get(name) ?? { holds: [], queue: [], token: 0n };
    store.set(name, entry);
    const live = entry.holds.filter(({ expires }) => expires > now);
    const expired = live.length < entry.holds.length;
    entry.holds = live;
    entry.queue = entry.queue.filter(({ until }) => until > now);
    if (expired) rules.afterExpiry(entry);
    let answer: T | undefined;
    try {
      answer = act(entry, now);
      return answer;
    } finally {
      rules.toTell(entry, operation === 'release' && answer === false ? 'give-up' : operation, rules.admits)?.tell();
      await turn();
    }
  }

  return {
    name: 'textbook',
    traits: textbookTraits,
    tryAcquire(claim, wake) {
      // Before the send: a wake may overtake the busy answer.
      if (wake !== undefined) wakes.set(claim.owner, wake);
      return onServer(claim.key, 'acquire', (entry, now): Grant | Busy => {
        const { owner, mode, permits, ttl } = claim;
        const own = entry.holds.find((hold) => hold.owner === owner);
        if (own !== undefined) {
          rules.repeat(own, claim, now, entry);
          return { granted: true, token: own.token };
        }
        if (rules.inTurn(entry, claim) && rules.admits(entry, claim)) {
          removePlace(entry, owner);
          wakes.delete(owner);
          entry.token = rules.mint(entry, claim.floor ?? 0n);
          entry.holds.push({ owner, mode, permits, token: entry.token, expires: now + ttl });
          return { granted: true, token: entry.token };
        }
        const until = now + rules.placeTtl;
        const place = entry.queue.find((other) => other.owner === owner);
        if (place !== undefined) place.until = until;
        if (wake !== undefined || rules.enqueueAlways) {
          rules.enqueue(entry, {
            owner,
            mode,
            permits,
            until,
            tell: () => setImmediate(() => wakes.get(owner)?.()),
          });
        }
        if (entry.holds.length === 0) return { granted: false };
        const earliest = Math.min(...entry.holds.map(({ expires }) => expires));
        return { granted: false, retryAfter: Math.min(rules.placeTtl / 3, earliest - now) };
      });
    },
    renew: (claim, token) =>
      onServer(claim.key, 'renew', (entry, now): Renewal | false => {
        const own = entry.holds.find((hold) => hold.owner === claim.owner);
        if (own === undefined || (token !== undefined && own.token > token)) return false;
        rules.renew(own, claim, now, entry);
        if (token !== undefined) own.token = token;
        if (own.token > entry.token) entry.token = own.token;
        return {};
      }),
    release(claim) {
      wakes.delete(claim.owner);
      return onServer(claim.key, 'release', (entry) => {
        rules.leave(entry, claim.owner);
        const before = entry.holds.length;
        entry.holds = entry.holds.filter((hold) => !rules.mayRelease(hold, claim));
        rules.afterRelease(entry);
        return entry.holds.length < before;
      });
    },
    async register(name, change) {
      if (closed) throw new LockError('LOCK_CLOSED', 'This provider is closed.');
      await turn();
      const texts = registersIn(store);
      if (change !== undefined && texts.get(name) === change.from) {
        texts.delete(name);
        if (change.to !== undefined) texts.set(name, change.to);
      }
      const text = texts.get(name);
      await turn();
      return text;
    },
    // The wall clock of the machine, which all of them share.
    time: async () => Date.now(),
    inspect: (key) =>
      onServer(key, 'inspect', ({ holds, queue }, now): KeyState => {
        const holders = holds.map(({ owner, mode, permits, token, expires }) => ({
          owner,
          mode,
          ...(permits !== undefined && { permits }),
          token,
          remaining: expires - now,
        }));
        const waiting = queue.map(({ owner, mode, permits }) => ({
          owner,
          mode,
          ...(permits !== undefined && { permits }),
        }));
        return { key, holders, waiters: queue.length, ...(waiting.length === 0 ? {} : { queue: waiting }) };
      }),
    async close() {
      closed = true;
      for (const wake of wakes.values()) queueMicrotask(wake);
      wakes.clear();
    },
    async *list(prefix) {
      if (closed) throw new LockError('LOCK_CLOSED', 'This provider is closed.');
      const now = performance.now();
      for (const [key, { holds, queue }] of store) {
        const used = queue.length > 0 || holds.some(({ expires }) => expires > now);
        if (used && key.startsWith(prefix)) yield key;
      }
    },
  };
}
