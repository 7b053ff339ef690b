import { createLocks } from '@locks/core';
import type { Lease, LockProvider, Locks } from '@locks/core';
import { misconfigured, settledWithin } from '@locks/core/adapter';
import { defaultLabel } from '@locks/core/composite';
import { coalesced } from '../serial-calls.ts';
import { markLabel, noteKey, noteLabel, presenceKey, processLabel, readSign } from './keys.ts';
import type { Sign } from './keys.ts';
import { migrateSource } from './options.ts';
import type { MigrateRules } from './options.ts';
import { ends } from './phase.ts';
import type { End, Phase, PhaseWord } from './phase.ts';

/** Time limit of a store for a sign, in ms. */
const patience = 2_000;

/** What a process reports about itself. */
interface SignsHost {
  readonly effective: Phase;
  readonly word: PhaseWord;
  /** The presence has ended involuntarily. */
  lost(reason: unknown): void;
}

/**
 * The signs of a process in the stores, each a shared lease. Its presence says that it takes, or is
 * about to take, locks in one store alone. A mark on the same key says that it does: others that
 * look for presences see it, even if it is returned too late. Its note is only for the status, and
 * is rewritten if lost.
 */
export class Signs {
  readonly #rules: MigrateRules;
  readonly #locks: Readonly<Record<End, Locks>>;
  readonly #host: SignsHost;
  readonly #notes: Partial<Record<End, { readonly label: string; readonly lease: Lease } | undefined>> = {};
  #lease: Lease | undefined = undefined;
  #mark: Promise<Lease | undefined> | undefined = undefined;
  #isCompared = false;

  constructor(rules: MigrateRules, host: SignsHost) {
    const { stores, presenceTtl: ttl, runtime } = rules;
    const label = processLabel(rules.label ?? defaultLabel(), runtime.uniqueId());
    const locksOf = (store: LockProvider): Locks => createLocks(store, { ttl, runtime, label });
    this.#rules = rules;
    this.#locks = { from: locksOf(stores.from), to: locksOf(stores.to) };
    this.#host = host;
  }

  /** Why this process can take no locks: both of its stores are one. */
  wrong: Error | undefined = undefined;

  /** The presence, until returned or lost. */
  get presence(): Lease | undefined {
    return this.#lease;
  }

  async announce(end: End): Promise<void> {
    const lease = await this.#put(end, presenceKey);
    this.#lease = lease;
    const ended = (): void => {
      if (this.#lease !== lease) return;
      void this.#forgetMark();
      this.#lease = undefined;
      this.#host.lost(lease.signal.reason);
    };
    if (lease.signal.aborted) ended();
    else lease.signal.addEventListener('abort', ended, { once: true });
  }

  /** Others that enter the same end need not settle from now on. */
  mark(end: End): void {
    this.#mark ??= this.#put(end, presenceKey, markLabel).catch(() => undefined);
  }

  /** Returns mark and presence, in this order: a mark stands for an acting process. */
  async withdraw(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    const { runtime, memberTimeout } = this.#rules;
    await settledWithin(runtime, memberTimeout, this.#forgetMark());
    // A release without an answer is repeated. Until then this process sees its own presence.
    if (lease !== undefined) await settledWithin(runtime, memberTimeout, lease.release());
  }

  /** The presences and marks of processes that take locks in the store of `end` alone. */
  async at(end: End): Promise<readonly Sign[]> {
    const { holders } = await this.#rules.stores[end].inspect(presenceKey);
    return holders.map(({ owner }) => readSign(owner));
  }

  async close(): Promise<void> {
    await this.withdraw();
    await Promise.all([this.#locks.from.close(), this.#locks.to.close()]);
  }

  /** Resolves when the stores have, or refused, the note. Never rejects. */
  readonly note: () => Promise<void> = coalesced(async () => {
    if (!this.#isCompared) await this.#compare().catch(() => {});
    await Promise.allSettled(ends.map((end) => this.#writeNote(end)));
  });

  /** What it wrote to one store must not appear in the other one. */
  async #compare(): Promise<void> {
    await this.#writeNote('from');
    const own = this.#notes.from?.lease.owner;
    if (own === undefined) return;
    const { stores, name } = this.#rules;
    const { holders } = await stores.to.inspect(noteKey(name));
    this.#isCompared = true;
    if (!holders.some(({ owner }) => owner === own)) return;
    this.wrong = misconfigured(migrateSource.where, 'options "from" and "to" name the same store; give two stores');
  }

  async #writeNote(end: End): Promise<void> {
    const { effective, word } = this.#host;
    const label = noteLabel(effective, word);
    const before = this.#notes[end];
    const wanted = effective === 'both' || effective === end;
    if (wanted ? before?.label === label && before.lease.held : before === undefined) return;
    const lease = wanted ? await this.#put(end, noteKey(this.#rules.name), label) : undefined;
    this.#notes[end] = lease && { label, lease };
    await before?.lease.release();
  }

  async #put(end: End, key: string, label?: string): Promise<Lease> {
    return await this.#locks[end].acquire(key, { mode: 'shared', wait: patience, label });
  }

  async #forgetMark(): Promise<void> {
    const mark = this.#mark;
    this.#mark = undefined;
    await (await mark)?.release().catch(() => {});
  }
}
