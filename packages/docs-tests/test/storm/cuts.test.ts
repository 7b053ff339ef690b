import { test } from 'vitest';
import { storm } from './cuts.ts';

test.each(['redis', 'postgres', 'mariadb', 'zookeeper'] as const)(
  'a storm of cuts leaves nothing pending and no line on %s',
  { timeout: 120_000 },
  (name) => storm(name, 1),
);
