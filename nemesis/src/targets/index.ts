import { compositeTargets } from './composites.ts';
import { etcdTargets } from './etcd.ts';
import type { ListedTarget } from './listed.ts';
import { redisGroupTargets } from './redis-groups.ts';
import { redisTargets } from './redis.ts';
import { sqlTargets } from './sql.ts';
import { sqliteTargets } from './sqlite.ts';
import { zookeeperTargets } from './zookeeper.ts';

/** All that is attacked. */
export const targets: readonly ListedTarget[] = [
  ...redisTargets,
  ...redisGroupTargets,
  ...sqlTargets,
  ...sqliteTargets,
  ...zookeeperTargets,
  ...etcdTargets,
  ...compositeTargets,
];
