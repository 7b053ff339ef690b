import type { AdapterConfig } from '@locks/core/adapter';
import { withOwnPool } from '../databases/with-own-pool.ts';
import { checkReadable } from '../dialect/layout/layout.ts';
import { changeLayout, stepsBack } from './change-layout.ts';

/**
 * Removes the tables that `migrateTables` created, with all holds, tokens and queues: for operators,
 * when no process uses the store any more. Does nothing if there are none. Takes the configuration
 * of `fromConfig`.
 * @throws `LOCK_MISCONFIGURED` for tables of a later version of this package, or if the user may not
 * remove them. `LOCK_UNAVAILABLE` if the database does not answer within `connectTimeout`.
 */
export async function removeTables(config: AdapterConfig): Promise<void> {
  await withOwnPool(config, async ({ pool, provider, deadline }) => {
    const names = { ...provider.names, schema: pool.schema ?? provider.names.schema };
    const remove = changeLayout(pool.client, names, (found, dialect) => {
      if (found.layout !== undefined) checkReadable(found.layout, names);
      return stepsBack(0, found, dialect);
    });
    await deadline.race(remove, 'the removal of the tables');
  });
}
