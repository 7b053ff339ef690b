import { test } from 'vitest';
import { storm } from './cuts.ts';

test.each(['redis', 'postgres', 'mariadb', 'zookeeper'] as const)(
  '50 storms of cuts leave nothing pending and no line on %s',
  { timeout: 1_800_000 },
  (name) => storm(name, 50),
);
