import { compositeTargets } from './composites.ts';
import { encryptedTargets } from './encrypted.ts';
import { etcdTargets } from './etcd.ts';
import type { ListedTarget } from './listed.ts';
import { migration } from './migration.ts';
import { redisGroupTargets } from './redis-groups.ts';
import { redisTargets } from './redis.ts';
import { sqlTargets } from './sql.ts';
import { sqliteTargets } from './sqlite.ts';
import { zookeeperTargets } from './zookeeper.ts';

const all: readonly ListedTarget[] = [
  ...redisTargets,
  ...redisGroupTargets,
  ...sqlTargets,
  ...sqliteTargets,
  ...zookeeperTargets,
  ...etcdTargets,
  ...encryptedTargets,
  ...compositeTargets,
  migration,
];

/** All targets, by their name for `--store`. */
export const targets: Readonly<Record<string, ListedTarget>> = Object.fromEntries(all.map((each) => [each.name, each]));
