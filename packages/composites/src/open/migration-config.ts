import { misconfigured, readOptions } from '@locks/core/adapter';
import type { OptionReader, Runtime } from '@locks/core/adapter';
import type { Backend } from '@locks/core/open';
import { migrateSource, migrationReaders, mustHave } from '../migrate/options.ts';
import type { MigrateOptions } from '../migrate/options.ts';
import { phaseSource } from '../migrate/phase-source.ts';
import type { End } from '../migrate/phase.ts';
import { memberError } from '../members/member.ts';
import { readMember, sameStore } from './member-config.ts';

export interface MigrationConfig {
  readonly stores: Readonly<Record<End, Backend>>;
  readonly options: Omit<MigrateOptions, 'from' | 'to'>;
}

/** Anything, unshown: a URL may contain a password. */
function given(expects: string): OptionReader<unknown> {
  return { expects, accepts: (value): value is unknown => value !== undefined, parse: (text) => text, secret: true };
}

const readers = {
  ...migrationReaders,
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
  const read = readOptions(readers, options, migrateSource);
  mustHave(readers, read);
  const { from, to, phase, name, ...rest } = read;
  const stores = { from: readStore('from', from), to: readStore('to', to) };
  if (sameStore([stores.from, stores.to], 1) !== -1) {
    throw misconfigured(migrateSource.where, 'options "from" and "to" name the same store');
  }
  return { stores, options: { ...rest, name, phase: phaseSource(phase, runtime), runtime } };
}

function readStore(end: End, store: unknown): Backend {
  try {
    return readMember(store);
  } catch (error) {
    throw memberError(`store "${end}"`, error);
  }
}
