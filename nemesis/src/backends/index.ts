import type { BackendName } from '../drills-command-line.ts';
import type { Backend } from './backend.ts';
import { etcd } from './etcd.ts';
import { quorum } from './quorum.ts';
import { redis } from './redis.ts';
import { mariadb, postgres, sqlite, table } from './sql.ts';
import { ensemble, zookeeper } from './zookeeper.ts';

export const backends: Readonly<Record<BackendName, Backend>> = {
  redis,
  postgres,
  mariadb,
  table,
  sqlite,
  zookeeper,
  ensemble,
  etcd,
  quorum,
};
