import { createDeadline } from '@locks/core/adapter';
import type { AdapterConfig } from '@locks/core/adapter';
import { endPool } from '../dialect/pools/own-pool.ts';
import { dialectOfUrl } from '../databases/dialects.ts';
import { checkReadable } from '../dialect/layout/layout.ts';
import { readConfigOptions } from '../options/config-options.ts';
import { changeLayout, stepsBack } from './change-layout.ts';

/**
 * Removes the tables that `migrateTables` created, and all holds, tokens and queues in them: for
 * operators, and for a store that no process uses any more. Does nothing where there are none.
 * Takes what `fromConfig` takes.
 * @throws `LOCK_MISCONFIGURED` for tables of a later version of this package, or where the user may
 * not remove them. `LOCK_UNAVAILABLE` when the database does not answer within `connectTimeout`.
 */
export async function removeTables({ url: given, options, runtime }: AdapterConfig): Promise<void> {
  const { dialect, url } = dialectOfUrl(given);
  const { provider, connections } = readConfigOptions(options, dialect);
  const { names } = provider;
  const pool = await dialect.openPool({ url, options: connections, names, runtime });
  const deadline = createDeadline(runtime, connections.connectTimeout, 'sql');
  const ownNames = { ...names, schema: pool.schema ?? names.schema };
  const remove = changeLayout(pool.client, ownNames, (found, itsDialect) => {
    if (found.layout !== undefined) checkReadable(found.layout, ownNames);
    return stepsBack(0, found, itsDialect);
  });
  try {
    await deadline.race(remove, 'the removal of the tables');
  } finally {
    deadline.stop();
    await endPool(pool, runtime);
  }
}
