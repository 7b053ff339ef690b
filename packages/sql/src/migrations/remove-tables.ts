import type { AdapterConfig } from '@locks/core/adapter';
import { withOwnPool } from '../databases/with-own-pool.ts';
import { checkReadable } from '../dialect/layout/layout.ts';
import { changeLayout, stepsBack } from './change-layout.ts';

/**
 * Removes the tables that `migrateTables` created, and all holds, tokens and queues in them: for
 * operators, and for a store that no process uses any more. Does nothing where there are none.
 * Takes what `fromConfig` takes.
 * @throws `LOCK_MISCONFIGURED` for tables of a later version of this package, or where the user may
 * not remove them. `LOCK_UNAVAILABLE` when the database does not answer within `connectTimeout`.
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
