import { misconfigured, readOptions } from '@locks/core/adapter';
import type { OptionReader, Runtime } from '@locks/core/adapter';
import type { Backend } from '@locks/core/open';
import { rulesReaders } from '../combine/options.ts';
import { migrateSource, migrationReaders, mustHave } from '../migrate/options.ts';
import type { MigrateOptions } from '../migrate/options.ts';
import { memberError } from '../members/member.ts';
import { readMember, sameStore } from './member-config.ts';
import { phaseSource } from './phase-source.ts';

/** What a configuration says of a migration. */
export interface MigrationConfig {
  /** From, to. */
  readonly stores: readonly [Backend, Backend];
  readonly options: Omit<MigrateOptions, 'from' | 'to'>;
}

/** Anything: a URL may have a password in it. */
function given(expects: string): OptionReader<unknown> {
  return { expects, accepts: (value): value is unknown => value !== undefined, parse: (text) => text, secret: true };
}

const { memberTimeout, timeout } = rulesReaders;
const readers = {
  ...migrationReaders,
  memberTimeout,
  timeout,
  from: given('the URL or the configuration of the store that has the locks so far'),
  to: given('the URL or the configuration of the store that is to have them'),
  phase: given('"from", "both" or "to", or where that is read: "env:NAME" or "file:path"'),
};

/**
 * Reads `{ provider: 'migrate', options: { name, from, to, phase, … } }`.
 * @throws `LOCK_MISCONFIGURED` naming the store and the option.
 */
export function readMigration({ url, options }: Pick<Backend, 'url' | 'options'>, runtime: Runtime): MigrationConfig {
  if (url !== undefined) {
    throw misconfigured(
      migrateSource.where,
      'it has no URL; write the URLs of its stores into options "from" and "to"',
    );
  }
  const { from, to, phase, ...rest } = readOptions(readers, options, migrateSource);
  mustHave(readers, { from, to, phase, name: rest.name });
  const stores = [readStore('from', from), readStore('to', to)] as const;
  if (sameStore(stores, 1) !== -1) {
    throw misconfigured(migrateSource.where, 'options "from" and "to" name the same store');
  }
  const name = rest.name as string;
  return { stores, options: { ...rest, name, phase: phaseSource(phase, runtime), runtime } };
}

function readStore(end: 'from' | 'to', store: unknown): Backend {
  try {
    return readMember(store);
  } catch (error) {
    throw memberError(`store "${end}"`, error);
  }
}
