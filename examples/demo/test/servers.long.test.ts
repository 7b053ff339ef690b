import { startMariadb, startPostgres, startRedis, startZookeeper } from '@locks/test-servers';
import { describe, test } from 'vitest';
import { expectExactBalance } from './demo.ts';

describe('the balance is exact, though a holder is killed', () => {
  test.each([
    { name: 'Redis', start: startRedis, query: '' },
    { name: 'Postgres', start: startPostgres, query: '' },
    { name: 'MariaDB', start: startMariadb, query: '' },
    { name: 'ZooKeeper', start: startZookeeper, query: '?acl=open&sessionTimeout=4s' },
  ])('on $name', async ({ start, query }) => {
    await using server = await start();
    await expectExactBalance('--url', `${server.url}${query}`);
  });
});
