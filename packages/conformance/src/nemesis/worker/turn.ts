import { setTimeout as sleep } from 'node:timers/promises';
import type { Election, Lease, Locks } from '@locks/core';
import type { HistoryCall } from '@locks/core/testing';
import { now } from '../clock.ts';
import type { Turn } from '../script.ts';
import { callsOf, codeOf, messageOf, tokenOf } from './calls.ts';
import { doInside } from './inside.ts';
import { lead } from './lead.ts';
import type { Surroundings } from './surroundings.ts';

/** One key of a turn, a separate call in the history. */
interface Part {
  readonly id: string;
  readonly key: string;
}

/** How often a holder checks its lease, in ms. */
const lookEvery = 40;

/** Takes a lock as in `turn`, works under it and releases it. Never rejects: all is in the log. */
export async function takeTurn(surroundings: Surroundings, id: string, turn: Turn): Promise<void> {
  const { times = 1 } = turn;
  const idOf = (index: number): string => (times === 1 ? id : `${id}+${index}`);
  await Promise.all(Array.from({ length: times }, (_, index) => new Taking(surroundings, idOf(index), turn).take()));
}

class Taking {
  readonly #with: Surroundings;
  readonly #locks: Locks;
  readonly #turn: Turn;
  #parts: readonly Part[];
  #call: HistoryCall;
  /** The lease continues as another one. */
  #over = false;
  #released = false;

  constructor(surroundings: Surroundings, id: string, turn: Turn) {
    this.#with = surroundings;
    this.#locks = surroundings.locks;
    this.#turn = turn;
    const { key, more = [], how, retries = false } = turn;
    this.#parts =
      how === 'multiLock'
        ? [key, ...more].map((each, index) => ({ id: `${id}#${index}`, key: each }))
        : [{ id, key: how === 'once' ? `once/${key}` : key }];
    this.#call = how === 'once' && !retries ? { ...turn, slot: surroundings.slot(false) } : turn;
  }

  async take(): Promise<void> {
    const { how } = this.#turn;
    const work = (lease: Lease): Promise<unknown> => this.#hold(lease);
    this.#noteCall();
    try {
      const calls = callsOf(this.#locks, this.#turn, this.#with.name);
      switch (how) {
        case 'withLock':
          await calls.withLock(work);
          return this.#noteOver(true);
        case 'tryWithLock':
          return this.#noteOver((await calls.tryWithLock(work)).held);
        case 'once':
          return this.#noteOver((await this.#runJob(work)).held);
        case 'elect':
          return this.#noteOver(await lead(this.#locks, this.#with.name, this.#turn, (...led) => this.#hold(...led)));
        default: {
          const lease = how === 'tryAcquire' ? await calls.tryAcquire() : await calls.acquire();
          if (lease === null) return this.#noteOver(false);
          const last = await this.#hold(lease);
          if (!this.#released) await this.#release(last);
        }
      }
    } catch (error) {
      this.#note({ type: 'failed', code: codeOf(error), message: messageOf(error) });
    }
  }

  async #runJob(work: (lease: Lease) => Promise<unknown>): Promise<{ readonly held: boolean }> {
    const { key, ttl, wait, retries = false } = this.#turn;
    const slot = new Date(this.#call.slot ?? this.#with.slot(retries));
    const options = { ttl, wait, ...(retries && { onFailure: 'retry' as const }) };
    return await this.#locks.once(this.#with.name(key), slot, options, work);
  }

  /** Returns the lease that it ends with: a lease may continue as another one. */
  async #hold(first: Lease, election?: Election): Promise<Lease> {
    this.#noteGrant(first);
    const { how } = this.#turn;
    let last = first;
    try {
      await this.#work(first, election);
      last = await this.#goOn(first);
    } finally {
      // A function ends now, and its lease is released.
      if (!this.#released && how !== 'acquire' && how !== 'tryAcquire' && how !== 'multiLock') this.#noteRelease(last);
    }
    return last;
  }

  async #work(lease: Lease, election?: Election): Promise<void> {
    const { register, name } = this.#with;
    const [{ id, key }] = this.#parts as readonly [Part];
    const token = tokenOf(lease, name(key));
    const seen = this.#call.mode === 'exclusive' ? await register.read(id, key, token) : undefined;
    await doInside({
      ...{ with: this.#with, id, turn: this.#turn, lease, election },
      release: () => this.#release(lease),
    });
    await this.#stay();
    // A lost lease does not keep a careless holder from writing; the register does.
    if (seen !== undefined) await register.write(id, key, token, seen + 1);
  }

  async #stay(): Promise<void> {
    const end = now() + this.#turn.hold;
    for (let rest = end - now(); rest > 1 && !this.#with.isCalm(); rest = end - now()) {
      await sleep(Math.min(rest, lookEvery));
    }
  }

  /** Records what the lease reports, until it has ended. */
  #watch(lease: Lease): void {
    const parts = this.#parts;
    const timer = setInterval(() => {
      const at = now();
      const { remaining } = lease;
      if (remaining === 0 || this.#released || parts !== this.#parts) clearInterval(timer);
      else this.#note({ type: 'held', remaining }, at);
    }, lookEvery);
  }

  /** Transfers the lease to itself, or downgrades it: as a separate call. */
  async #goOn(lease: Lease): Promise<Lease> {
    const { next: how } = this.#turn;
    if (how === undefined || !lease.held) return lease;
    const { shared, expiry } = this.#locks.traits;
    if (how === 'downgrade' ? !shared : expiry === 'session') return lease;
    const [before] = this.#parts as readonly [Part];
    this.#noteRelease(lease);
    this.#over = true;
    this.#parts = [{ id: `${before.id}/${how}`, key: before.key }];
    const downgrades = how === 'downgrade';
    this.#call = {
      ...{ key: before.key, continues: before.id },
      ...{ how: downgrades ? 'downgrade' : 'resume', mode: downgrades ? 'shared' : 'exclusive' },
    };
    const end = (): void => {
      const { append, process } = this.#with;
      append({ type: 'released', at: now(), process, id: before.id, answer: 'over' });
    };
    this.#noteCall();
    try {
      let next = lease;
      if (downgrades) await lease.downgrade();
      else {
        const text = await lease.transfer();
        await sleep(this.#turn.think);
        next = await this.#locks.resume(text);
      }
      end();
      this.#noteGrant(next);
      await this.#stay();
      return next;
    } catch (error) {
      end();
      // It may still be held, and would be renewed.
      await lease.release().catch(() => {});
      throw error;
    }
  }

  async #release(lease: Lease): Promise<void> {
    this.#noteRelease(lease);
    this.#released = true;
    const answer = await lease.release().catch(codeOf);
    this.#note({ type: 'released', answer });
  }

  #noteCall(): void {
    const at = now();
    const { process, append } = this.#with;
    for (const { id, key } of this.#parts) append({ type: 'call', at, process, id, call: { ...this.#call, key } });
  }

  #noteGrant(lease: Lease): void {
    // The clock is read first: what the lease reports then held at that time, as a lease does not
    // revive.
    const at = now();
    const { remaining, owner } = lease;
    const { append, process, name } = this.#with;
    for (const { id, key } of this.#parts) {
      append({ type: 'granted', at, process, id, token: `${tokenOf(lease, name(key))}`, remaining, owner });
    }
    this.#watch(lease);
    const parts = this.#parts;
    const told = (): void => {
      if (this.#over && parts !== this.#parts) return;
      const { signal, held } = lease;
      const code = codeOf(signal.reason);
      for (const { id } of parts) append({ type: 'lost', at: now(), process, id, code, held });
      const { key, mode, how } = this.#turn;
      // The lease of a function may be the scope that its own listener runs in.
      if (how !== 'acquire' || code === 'LOCK_CLOSED') return;
      const next: Turn = {
        key,
        mode: 'exclusive',
        how: 'withLock',
        wait: 1_000,
        reentrant: mode === 'exclusive',
        think: 0,
        hold: 3,
      };
      this.#with.takeLater(`${parts[0]?.id}/lost`, next);
    };
    if (lease.signal.aborted) told();
    else lease.signal.addEventListener('abort', told, { once: true });
  }

  #noteRelease(lease: Lease): void {
    const at = now();
    this.#note({ type: 'release', remaining: lease.remaining }, at);
  }

  #noteOver(held: boolean): void {
    if (!held) this.#note({ type: 'busy' });
    else if (!this.#released) this.#note({ type: 'released', answer: 'over' });
  }

  #note(event: Unnoted, at: number = now()): void {
    const { append, process } = this.#with;
    for (const { id } of this.#parts) append({ ...event, at, process, id });
  }
}

type Unnoted =
  | { readonly type: 'busy' }
  | { readonly type: 'held' | 'release'; readonly remaining: number }
  | { readonly type: 'released'; readonly answer: boolean | string }
  | { readonly type: 'failed'; readonly code: string; readonly message: string };
