import { requirements } from '@locks/conformance';
import { conformanceTests } from '@locks/conformance/vitest';
import { combine, namespaced } from '@locks/composites';
import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { fromConfig as openRedis } from '@locks/redis';
import { fromConfig as openPostgres, migrateTables } from '@locks/sql';
import { startPostgres, startRedis, startZookeeper } from '@locks/test-servers';
import { fromConfig as openZookeeper } from '@locks/zookeeper';
import knex from 'knex';
import { afterAll } from 'vitest';

// docs/quorum.md: a mix of stores has the weakest traits of its members. The file is here, as only
// this package depends on all adapters.
const [redis, postgres, zookeeper] = await Promise.all([startRedis(), startPostgres(), startZookeeper()]);
afterAll(async () => {
  await Promise.all([redis.stop(), postgres.stop(), zookeeper.stop()]);
});

const database = knex({ client: 'pg', connection: postgres.url, pool: { min: 0, max: 1 } });
await migrateTables(database);
await database.destroy();

const runtime = systemRuntime;

async function create(root: string, waiterTtl: number): Promise<LockProvider> {
  const members = await Promise.all([
    openRedis({ url: redis.url, options: { waiterTtl }, runtime }),
    openPostgres({ url: postgres.url, options: { waiterTtl }, runtime }),
    openZookeeper({
      url: `zookeeper://${zookeeper.host}:${zookeeper.port}`,
      options: { acl: 'open', root, sessionTimeout: 6_000 },
      runtime,
    }),
  ]);
  // Another root is another store: with the others of the same name it would be another set.
  return combine(members.map((member) => namespaced(member, root)));
}

/** Its floors raise the tokens of all keys below one root of ZooKeeper, near to where they end. */
const ofHighTokens = 'token-end';
/**
 * It asks for ten grants below 2^53, where the tokens of Redis end, with room for four steps each.
 * Those of ZooKeeper take larger steps.
 */
const ofSmallSteps = 'token-exact';
const others = requirements.flatMap(({ id, needs = [] }) =>
  needs.every((need) => need === 'createOther') && id !== ofHighTokens && id !== ofSmallSteps ? [id] : [],
);

for (const [root, only] of [
  ['/locks', others],
  ['/high', [ofHighTokens]],
] as const) {
  conformanceTests({
    name: `a majority of Redis, Postgres and ZooKeeper, ${root}`,
    create: () => create(root, 3_000),
    createOther: () => create(root, 600),
    only,
  });
}
