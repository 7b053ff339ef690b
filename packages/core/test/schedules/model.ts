import type { Busy, Claim, Grant, LockProvider, Mode, Renewal } from '../../src/contract.ts';

interface Hold {
  readonly mode: Mode;
  readonly permits: number | undefined;
  readonly token: bigint;
  readonly expires: number;
}

interface Place {
  readonly owner: string;
  readonly mode: Mode;
  readonly permits: number | undefined;
  readonly deadline: number;
}

/** What the contract and protocol 3 say about one key, written down as simply as can be. */
interface Key {
  holds: Map<string, Hold>;
  queue: Place[];
  token: bigint;
  /** Since when the head of the queue could go, and whether a process had to wake it. */
  turn: { readonly owner: string; readonly since: number; readonly woken: boolean } | undefined;
}

export interface ModelOptions {
  /** The store's clock. */
  now(): number;
  readonly waiterTtl: number;
  /** Takes what the provider did against the contract. */
  report(problem: string): void;
}

/**
 * Runs beside a provider, in lockstep, and compares every answer with the one that the contract
 * demands.
 */
export class ContractModel {
  readonly #options: ModelOptions;
  readonly #keys = new Map<string, Key>();

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  /** Whether the store must still keep `owner`'s hold until `until`. */
  keeps(key: string, owner: string, until: number): boolean {
    const hold = this.#keys.get(key)?.holds.get(owner);
    return hold !== undefined && hold.expires >= until;
  }

  /** The heads of queues that could go, and since when. */
  *turns(): Iterable<{ readonly owner: string; readonly since: number; readonly woken: boolean }> {
    for (const key of this.#keys.values()) {
      this.#purge(key);
      this.#noteTurn(key, '', false);
      if (key.turn !== undefined) yield key.turn;
    }
  }

  async attempt(provider: LockProvider, claim: Claim, wake: (() => void) | undefined): Promise<Grant | Busy> {
    const { now, report } = this.#options;
    const key = this.#key(claim.key);
    const { owner, mode, permits } = claim;
    const held = key.holds.get(owner);
    const head = key.queue[0];
    const first = head === undefined || head.owner === owner;
    const expected = held !== undefined || (first && admits(key, claim)) ? 'granted' : 'busy';
    const at = now();
    // The provider acts at once; only its answer is late.
    const answer = provider.tryAcquire(claim, wake);
    if (expected === 'granted') {
      key.queue = key.queue.filter((place) => place.owner !== owner);
      key.holds.set(owner, { mode, permits, token: held?.token ?? 0n, expires: at + claim.ttl });
    } else if (wake !== undefined) {
      const place = { owner, mode, permits, deadline: at + this.#options.waiterTtl };
      const index = key.queue.findIndex((each) => each.owner === owner);
      if (index === -1) key.queue.push(place);
      else key.queue[index] = place;
    }
    this.#noteTurn(key, owner, true);
    try {
      const given = await answer;
      if ((given.granted ? 'granted' : 'busy') !== expected) {
        report(`${owner} was ${given.granted ? 'granted' : 'busy'}, but the contract says ${expected}`);
      }
      if (given.granted) this.#noteToken(key, claim, held, given.token);
      return given;
    } catch (error) {
      report(`${owner}: ${String(error)}`);
      throw error;
    }
  }

  async renew(provider: LockProvider, claim: Claim, raised: bigint | undefined): Promise<Renewal | false> {
    const key = this.#key(claim.key);
    const hold = key.holds.get(claim.owner);
    const renews = hold !== undefined && (raised === undefined || raised >= hold.token);
    if (renews) {
      const token = raised ?? hold.token;
      key.holds.set(claim.owner, { ...hold, token, expires: this.#options.now() + claim.ttl });
      if (token > key.token) key.token = token;
    }
    const answer = provider.renew(claim, raised);
    this.#noteTurn(key, claim.owner, true);
    const given = await answer;
    if ((given !== false) !== renews) {
      this.#options.report(`${claim.owner} was renewed: ${given !== false}, but it could be: ${renews}`);
    }
    return given;
  }

  async release(provider: LockProvider, claim: Claim): Promise<boolean> {
    const key = this.#key(claim.key);
    const freed = key.holds.delete(claim.owner);
    key.queue = key.queue.filter((place) => place.owner !== claim.owner);
    const answer = provider.release(claim);
    this.#noteTurn(key, claim.owner, true);
    const given = await answer;
    if (given !== freed) this.#options.report(`release of ${claim.owner} answered ${given}, but it held: ${freed}`);
    return given;
  }

  #key(name: string): Key {
    let key = this.#keys.get(name);
    if (key === undefined) {
      key = { holds: new Map(), queue: [], token: 0n, turn: undefined };
      this.#keys.set(name, key);
    }
    this.#purge(key);
    return key;
  }

  #purge(key: Key): void {
    const now = this.#options.now();
    for (const [owner, hold] of key.holds) if (hold.expires <= now) key.holds.delete(owner);
    if (key.queue.some((place) => place.deadline <= now)) key.queue = key.queue.filter((place) => place.deadline > now);
  }

  /**
   * Law 4; a shared grant is compared with all earlier ones too, as this store mints from one
   * counter.
   */
  #noteToken(key: Key, { owner }: Claim, held: Hold | undefined, token: bigint): void {
    const { report } = this.#options;
    if (held !== undefined && held.token !== token)
      report(`${owner} got token ${token} at its repeat, after ${held.token}`);
    if (held === undefined && token <= key.token) report(`${owner} got token ${token}, after ${key.token}`);
    if (token > key.token) key.token = token;
    const hold = key.holds.get(owner);
    if (hold !== undefined) key.holds.set(owner, { ...hold, token });
  }

  #noteTurn(key: Key, caller: string, byOperation: boolean): void {
    const head = key.queue[0];
    if (head === undefined || !admits(key, head)) {
      key.turn = undefined;
      return;
    }
    const woken = byOperation && head.owner !== caller;
    if (key.turn?.owner === head.owner && (key.turn.woken || !woken)) return;
    key.turn = { owner: head.owner, since: this.#options.now(), woken };
  }
}

function admits(key: Key, wish: Pick<Place, 'mode'> & { readonly permits?: number | undefined }): boolean {
  const modes = [...key.holds.values()].map((hold) => hold.mode);
  if (wish.mode === 'exclusive') return modes.length === 0;
  return !modes.includes('exclusive') && modes.length < (wish.permits ?? Infinity);
}
