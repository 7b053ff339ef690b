import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease, Locks, MultiLease } from '@locks/core';
import { now } from '../clock.ts';
import type { Ask, WorkerEvent } from '../log/events.ts';
import type { Register } from '../register/register-client.ts';
import type { Plan } from './plan.ts';

/** What a turn works with. */
export interface Surroundings {
  readonly locks: Locks;
  readonly register: Register;
  append(event: WorkerEvent): void;
  /** Holds end early then. */
  isCalm(): boolean;
  /** Takes another lock in the listener of a lease that was lost. */
  afterLoss(id: string): void;
}

/** One key of a turn, which the log has as a call of its own. */
interface Part {
  readonly id: string;
  readonly key: string;
}

/** In ms: how often a holder looks at its lease. */
const lookEvery = 40;

/**
 * Takes a lock as `plan` says, works under it and gives it back. Never rejects: all is in the log.
 */
export async function takeTurn(surroundings: Surroundings, id: string, plan: Plan): Promise<void> {
  await new Turn(surroundings, plan, partsOf(id, plan)).take();
}

function partsOf(id: string, { ask, keys }: Plan): readonly Part[] {
  return keys === undefined ? [{ id, key: ask.key }] : keys.map((key, index) => ({ id: `${id}#${index}`, key }));
}

class Turn {
  readonly #with: Surroundings;
  readonly #plan: Plan;
  #parts: readonly Part[];
  /** What `mode` the present calls have. */
  #ask: Ask;
  /** The lease goes on as another one. */
  #over = false;

  constructor(surroundings: Surroundings, plan: Plan, parts: readonly Part[]) {
    this.#with = surroundings;
    this.#plan = plan;
    this.#parts = parts;
    this.#ask = plan.ask;
  }

  async take(): Promise<void> {
    const { locks } = this.#with;
    const { how, key, slot = '' } = this.#ask;
    const options = optionsOf(this.#ask);
    this.#call();
    try {
      switch (how) {
        case 'withLock':
          await locks.withLock(key, (lease) => this.#holdAndFinish(lease), options);
          return this.#note({ type: 'released', answer: 'over' });
        case 'once': {
          const { ttl, signal, wait } = options;
          const date = new Date(slot);
          const result = await locks.once('report', date, { ttl, signal, wait }, (lease) => this.#holdAndFinish(lease));
          return this.#note(result.held ? { type: 'released', answer: 'over' } : { type: 'busy' });
        }
        case 'elect':
          return await this.#lead(locks);
        default: {
          const keys = this.#parts.map((part) => part.key);
          const lease =
            how === 'multiLock'
              ? await locks.multiLock(keys).acquire({ wait: options.wait, renew: options.renew })
              : await locks[how === 'tryAcquire' ? how : 'acquire'](key, options);
          if (lease === null) return this.#note({ type: 'busy' });
          await this.#release(await this.#holdAndFinish(lease));
        }
      }
    } catch (error) {
      this.#note({ type: 'failed', code: codeOf(error), message: messageOf(error) });
    }
  }

  /** Stands until it has led once, or for the wait of the turn. */
  async #lead(locks: Locks): Promise<void> {
    const { key, ttl, wait = 1_000 } = this.#ask;
    let led = (): void => {};
    const over = new Promise<void>((resolve) => (led = resolve));
    let begun = false;
    const election = locks.elect(
      key,
      async (lease) => {
        if (begun) return;
        begun = true;
        await this.#holdAndFinish(lease).finally(led);
      },
      { ttl },
    );
    await Promise.race([over, sleep(wait).then(() => (begun ? over : undefined)), election.ended]);
    await election.stop();
    if (begun) await over;
    this.#note(begun ? { type: 'released', answer: 'over' } : { type: 'busy' });
  }

  /** Returns the lease that it ends with: a lease may go on as another one. */
  async #holdAndFinish(first: Lease): Promise<Lease> {
    this.#granted(first);
    await this.#work(first);
    const lease = await this.#goOn(first);
    const at = now();
    const { remaining } = lease;
    for (const { id } of this.#parts) this.#with.append({ type: 'release', at, id, remaining });
    return lease;
  }

  #granted(lease: Lease): void {
    // The clock is read first: what the lease says then held at that time, for a lease does not
    // come back.
    const at = now();
    const { remaining } = lease;
    for (const { id, key } of this.#parts) {
      this.#with.append({ type: 'granted', at, id, token: `${tokenOf(lease, key)}`, remaining });
    }
    const parts = this.#parts;
    const told = (): void => {
      if (this.#over && parts !== this.#parts) return;
      const { signal, held } = lease;
      for (const { id } of parts) this.#with.append({ type: 'lost', at: now(), id, code: codeOf(signal.reason), held });
      // The lease of a function may be the scope that its own listener runs in.
      if (this.#ask.how === 'acquire') this.#with.afterLoss(`${parts[0]?.id}/lost`);
    };
    if (lease.signal.aborted) told();
    else lease.signal.addEventListener('abort', told, { once: true });
  }

  async #work(lease: Lease): Promise<void> {
    const { register } = this.#with;
    const [{ id, key }] = this.#parts as readonly [Part];
    if (this.#ask.mode === 'shared') {
      await this.#hold(lease);
      return;
    }
    const token = tokenOf(lease, key);
    const seen = await register.read(id, key, token);
    await this.#hold(lease);
    // A lost lease does not keep a careless holder from writing; the register does.
    if (seen !== undefined) await register.write(id, key, token, seen + 1);
  }

  async #hold(lease: Lease): Promise<void> {
    const { isCalm, append } = this.#with;
    const { hold, renewNow } = this.#plan;
    const end = now() + hold;
    const look = (): void => {
      const at = now();
      const { remaining } = lease;
      if (remaining > 0) for (const { id } of this.#parts) append({ type: 'held', at, id, remaining });
    };
    if (renewNow) {
      const code = await lease.renew().then(() => 'ok', codeOf);
      this.#note({ type: 'renewed', code });
    }
    look();
    for (let rest = hold; rest > 1 && !isCalm(); rest = end - now()) {
      await sleep(Math.min(rest, lookEvery));
      look();
    }
  }

  /**
   * Hands the lease over to itself, or downgrades it, where the plan says so: with a call of its
   * own.
   */
  async #goOn(lease: Lease): Promise<Lease> {
    const { goesOn: how } = this.#plan;
    if (how === undefined || !lease.held) return lease;
    const { locks, append } = this.#with;
    const { shared, expiry } = locks.traits;
    if (how === 'downgrade' ? !shared : expiry === 'session') return lease;
    const [before] = this.#parts as readonly [Part];
    const at = now();
    append({ type: 'release', at, id: before.id, remaining: lease.remaining });
    this.#over = true;
    const mode = how === 'downgrade' ? 'shared' : 'exclusive';
    this.#parts = [{ id: `${before.id}/${how}`, key: before.key }];
    this.#ask = { ...this.#ask, how: how === 'downgrade' ? how : 'resume', mode, continues: before.id };
    const end = (): void => append({ type: 'released', at: now(), id: before.id, answer: 'over' });
    this.#call();
    try {
      let next = lease;
      if (how === 'downgrade') await lease.downgrade();
      else {
        const text = await lease.handOver();
        await sleep(this.#plan.think);
        next = await locks.resume(text);
      }
      end();
      this.#granted(next);
      await this.#hold(next);
      return next;
    } catch (error) {
      end();
      // It may be held still, and would be renewed.
      await lease.release().catch(() => {});
      throw error;
    }
  }

  async #release(lease: Lease): Promise<void> {
    const answer = await lease.release().catch(codeOf);
    this.#note({ type: 'released', answer });
  }

  #call(): void {
    const at = now();
    for (const { id, key } of this.#parts) this.#with.append({ type: 'call', at, id, call: { ...this.#ask, key } });
  }

  #note(event: Unnoted): void {
    const at = now();
    for (const { id } of this.#parts) this.#with.append({ ...event, at, id });
  }
}

type Unnoted =
  | { readonly type: 'busy' }
  | { readonly type: 'released'; readonly answer: boolean | string }
  | { readonly type: 'renewed'; readonly code: string }
  | { readonly type: 'failed'; readonly code: string; readonly message: string };

function tokenOf(lease: Lease, key: string): bigint {
  return (lease as Partial<MultiLease>).tokens?.get(key) ?? lease.token;
}

function optionsOf({ mode, permits, wait, renew, reentrant, ttl, abortAfter }: Ask) {
  const signal = abortAfter === undefined ? undefined : AbortSignal.timeout(abortAfter);
  return { mode, permits, wait, renew, reentrant, ttl, signal };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : ` <- ${messageOf(error.cause)}`;
  return `${error.message}${cause}`;
}
