import { systemRuntime } from '@locks/core/adapter';
import { expect, test } from 'vitest';
import { dialectOfUrl } from '../src/dialects.ts';
import { readConfigOptions } from '../src/options/config-options.ts';

test.each([
  ['postgres://app@db.internal:6432/shop', 'db.internal'],
  ['postgres:///shop', 'localhost'],
  ['postgres://[::1]/shop', '::1'],
  ['postgres://%2Fvar%2Frun%2Fpostgresql/shop', '/var/run/postgresql'],
  ['mysql://app@[::1]:3306/shop', '::1'],
  ['sqlite:./locks.db', undefined],
])('the pool of %s says its host: %s', async (given, host) => {
  const { dialect, url } = dialectOfUrl(given);
  const { connections, provider } = readConfigOptions({}, dialect);
  const pool = await dialect.openPool({ url, options: connections, names: provider.names, runtime: systemRuntime });
  expect(pool.host).toBe(host);
  await pool.end();
});
