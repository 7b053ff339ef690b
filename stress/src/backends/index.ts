import type { BackendName } from '../command-line.ts';
import type { Backend } from './backend.ts';
import { quorum } from './quorum.ts';
import { redis } from './redis.ts';
import { mariadb, postgres, sqlite } from './sql.ts';
import { ensemble, zookeeper } from './zookeeper.ts';

export const backends: Readonly<Record<BackendName, Backend>> = {
  redis,
  postgres,
  mariadb,
  sqlite,
  zookeeper,
  ensemble,
  quorum,
};
