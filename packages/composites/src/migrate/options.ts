import type { LockProvider, Traits } from '@locks/core';
import { duration, matching, misconfigured, oneOf, readOptions } from '@locks/core/adapter';
import type { Duration, OptionReader, OptionReaders, OptionSource } from '@locks/core/adapter';
import { fencings, labelReader, runtimeReader } from '@locks/core/composite';
import { lackingMethod, readCombineOptions, rulesReaders } from '../combine/options.ts';
import type { CombineOptions, CombineRules } from '../combine/options.ts';
import { combinedTraits } from '../combine/traits.ts';
import { isPhaseWord, phaseWords } from './phase.ts';
import type { End, PhaseWord } from './phase.ts';

/** Options of `migrate`. */
export interface MigrateOptions extends Pick<CombineOptions, 'memberTimeout' | 'timeout' | 'runtime'> {
  /** The store with the present locks. */
  readonly from: LockProvider;
  /** The store to move them to. */
  readonly to: LockProvider;
  /**
   * The store that locks are taken in, or a function that returns it at each attempt. A function
   * that throws, or returns anything else, changes nothing, which `locks:migration` reports. `to!`
   * is `to` even if the store `from` does not answer, has locks that `to` lacks, or has higher
   * tokens: an operator's decision, until the next phase.
   */
  readonly phase: PhaseWord | (() => PhaseWord);
  /**
   * The name of the migration, the same in all processes: 1 to 100 printable characters without
   * `/`.
   */
  readonly name: string;
  /**
   * How long a process that died keeps others out of the other end, from 1 s to 24 h. Leases under
   * an end are never valid for longer. With less, a short silence of a store ends them.
   * @default 30_000 ms
   */
  readonly presenceTtl?: Duration | undefined;
  /**
   * The first process that enters an end checks the other one twice, with this time in between,
   * from 0 to 24 h. With less than `presenceTtl` two processes hold one lock if a store lost its
   * data just then.
   * @default presenceTtl, 30_000 ms
   */
  readonly settle?: Duration | undefined;
  /** The name of this process for others, to which a unique id is added. @default 'host:pid' */
  readonly label?: string | undefined;
}

/** The parsed options of a migration. */
export interface MigrateRules extends CombineRules, Pick<MigrateOptions, 'name' | 'label'> {
  readonly stores: Readonly<Record<End, LockProvider>>;
  readonly phase: PhaseWord | (() => unknown);
  readonly presenceTtl: number;
  readonly settle: number;
}

/** Where the options come from, for messages. */
export const migrateSource: OptionSource = { where: 'migrate', code: 'LOCK_MISCONFIGURED', text: true };

type Configured = Pick<MigrateOptions, 'name' | 'presenceTtl' | 'settle' | 'label' | 'memberTimeout' | 'timeout'>;

/** How options of a configuration are checked. */
export const migrationReaders: OptionReaders<Configured> = {
  name: matching(/^[!-.0-~]{1,100}$/, '1 to 100 printable ASCII characters without spaces or "/"'),
  presenceTtl: duration(1_000, 86_400_000),
  settle: duration(0, 86_400_000),
  label: labelReader,
  memberTimeout: rulesReaders.memberTimeout,
  timeout: rulesReaders.timeout,
};

const store: OptionReader<LockProvider> = {
  expects: 'a provider',
  accepts: (value): value is LockProvider => lackingMethod(value) === undefined,
  parse: () => undefined,
};

const word = oneOf(...phaseWords);

const readers: OptionReaders<MigrateOptions> = {
  ...migrationReaders,
  from: store,
  to: store,
  phase: {
    expects: `${word.expects}, or a function that gives one of them`,
    accepts: (value): value is MigrateOptions['phase'] => typeof value === 'function' || isPhaseWord(value),
    parse: word.parse,
  },
  runtime: runtimeReader,
};

/**
 * Checks `options`.
 * @throws `LOCK_MISCONFIGURED` with the option, its value and what it must be.
 */
export function readMigrateOptions(options: MigrateOptions): MigrateRules {
  const read = readOptions(readers, options ?? {}, migrateSource);
  mustHave(readers, read);
  const { from, to, memberTimeout, timeout, runtime, presenceTtl = 30_000, settle = presenceTtl, ...rest } = read;
  checkStores({ from, to });
  const rules = readCombineOptions({ need: 'all', memberTimeout, timeout, runtime }, 2);
  return { ...rules, ...rest, stores: { from, to }, presenceTtl, settle };
}

const needed = ['from', 'to', 'phase', 'name'] as const;

/** Throws unless `read` has the options without a default. */
export function mustHave<Read extends { readonly [Name in (typeof needed)[number]]?: unknown }>(
  known: Readonly<Record<(typeof needed)[number], Pick<OptionReader<unknown>, 'expects'>>>,
  read: Read,
): asserts read is Read & { readonly [Name in (typeof needed)[number]]: NonNullable<Read[Name]> } {
  const lacking = needed.find((name) => read[name] === undefined);
  if (lacking === undefined) return;
  throw misconfigured(migrateSource.where, `it needs option "${lacking}": ${known[lacking].expects}`);
}

function checkStores({ from, to }: MigrateRules['stores']): void {
  if (from === to)
    throw misconfigured(migrateSource.where, 'options "from" and "to" are one provider; give two stores');
  for (const [end, { name, traits }] of Object.entries({ from, to })) {
    if (traits.shared) continue;
    const why =
      'has no shared mode, by which processes announce themselves; configure it so that it has. One store becomes a quorum without a migration: see docs/quorum.md';
    throw misconfigured(migrateSource.where, `store "${end}" (${name}) ${why}`);
  }
}

/** A store's name in messages: `store "from" (redis)`. */
export function storeTitle(end: End, name: string): string {
  return `store "${end}" (${name})`;
}

/** The traits of a migration in every phase: the weaker of both stores. */
export function migrationTraits({ from, to }: Readonly<Record<End, Pick<LockProvider, 'traits'>>>): Traits {
  const weakest = Math.min(...[from, to].map(({ traits }) => fencings.indexOf(traits.fencing)));
  return { ...combinedTraits([from, to], { need: 2, fencing: true }), fencing: fencings[weakest] ?? 'none' };
}
