import { expect, it } from 'vitest';
import { timeout } from '../../../core/test/schedules/asked.ts';
import type { combine } from '../../src/index.ts';
import { moduleWith } from '../flaws/flawed-module.ts';
import { weaker } from '../flaws/weaker-machines.ts';
import { weaker as weakerMigrations, weakerMigrate } from '../flaws/weaker-migrations.ts';
import { leases, moving, run } from './play.ts';
import { combined, migrating } from './stores.ts';

const entry = new URL('../../src/combine/combine.ts', import.meta.url);

// The others break so seldom that only the models find them.
it.each(['onePhase', 'tokensAboveTheFloor', 'ownerTwice', 'validFromTheReply'] as const)(
  '5 000 schedules are enough to find a quorum where: %s',
  { timeout },
  async (name) => {
    const made = (await moduleWith<{ readonly combine: typeof combine }>(entry, 'claim', weaker[name])).combine;
    await expect(run(leases, (world) => combined(world, 3, {}, made), 5_000)).rejects.toThrow('A schedule failed');
  },
);

it(
  '2 000 schedules are enough to find a migration that looks at the stores before it announces itself',
  { timeout },
  async () => {
    const made = await weakerMigrate(...weakerMigrations.looksFirst);
    await expect(run(leases, (world) => migrating(world, made), 2_000, moving)).rejects.toThrow('A schedule failed');
  },
);
