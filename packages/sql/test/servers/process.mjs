// How another process of the conformance suite makes its provider.
import { createSqlProvider } from '@locks/sql';
import { openKnex } from '../support/open-knex.mjs';

export function create({ url, options }) {
  const instance = openKnex(url, { pool: { min: 0, max: 10 } });
  const provider = createSqlProvider(instance, options);
  const close = provider.close.bind(provider);
  provider.close = async () => {
    await close();
    await instance.destroy();
  };
  return provider;
}
