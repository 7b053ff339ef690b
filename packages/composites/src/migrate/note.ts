import type { Lease, Locks } from '@locks/core';
import { misconfigured, outsideContext } from '@locks/core/adapter';
import { noteKey, noteLabel } from './keys.ts';
import { migrateSource } from './options.ts';
import type { MigrateRules } from './options.ts';
import { ends } from './phase.ts';
import type { End, Phase, PhaseWord } from './phase.ts';
import { patience } from './presence.ts';

interface Written {
  readonly label: string;
  readonly lease: Lease;
}

/**
 * What a process leaves in the stores that it uses, for the status: its phase. It decides nothing.
 * One that was lost is written again.
 */
export class Note {
  readonly #rules: MigrateRules;
  readonly #locks: Readonly<Record<End, Locks>>;
  readonly #written: Partial<Record<End, Written | undefined>> = {};
  #wanted: readonly [Phase, PhaseWord] = ['both', 'both'];
  #again = false;
  #writing: Promise<void> | undefined = undefined;
  #isCompared = false;

  constructor(rules: MigrateRules, locks: Readonly<Record<End, Locks>>) {
    this.#rules = rules;
    this.#locks = locks;
  }

  /** Why this process can take no locks: both of its stores are one. */
  wrong: Error | undefined = undefined;

  /** Resolves when the stores have the note, or did not take it. Never rejects. */
  write(effective: Phase, desired: PhaseWord): Promise<void> {
    this.#wanted = [effective, desired];
    this.#again = true;
    return (this.#writing ??= outsideContext(() => this.#work()).finally(() => (this.#writing = undefined)));
  }

  async #work(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      if (!this.#isCompared) await this.#compare().catch(() => {});
      await Promise.allSettled(ends.map((end) => this.#writeTo(end)));
    }
  }

  /** What it wrote to one store must not show in the other one. */
  async #compare(): Promise<void> {
    await this.#writeTo('from');
    const own = this.#written.from?.lease.owner;
    if (own === undefined) return;
    const { stores, name } = this.#rules;
    const { holders } = await stores.to.inspect(noteKey(name));
    this.#isCompared = true;
    if (!holders.some(({ owner }) => owner === own)) return;
    this.wrong = misconfigured(migrateSource.where, 'options "from" and "to" name the same store; give two stores');
  }

  async #writeTo(end: End): Promise<void> {
    const [effective, desired] = this.#wanted;
    const label = noteLabel(effective, desired);
    const before = this.#written[end];
    const wanted = effective === 'both' || effective === end;
    if (wanted ? before?.label === label && before.lease.held : before === undefined) return;
    const ask = { mode: 'shared', wait: patience, label } as const;
    const lease = wanted ? await this.#locks[end].acquire(noteKey(this.#rules.name), ask) : undefined;
    this.#written[end] = lease && { label, lease };
    await before?.lease.release();
  }
}
