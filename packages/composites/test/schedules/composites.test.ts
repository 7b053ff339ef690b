import { describe, it } from 'vitest';
import type { World } from '../../../core/src/testing/index.ts';
import { asked, timeout } from '../../../core/test/schedules/asked.ts';
import { scenarios } from '../../../core/test/schedules/objects.ts';
import { leases, moving, run } from './play.ts';
import { combined, migrating } from './stores.ts';
import type { Setting } from './stores.ts';

const objects = { leases, ...scenarios };
const stores = {
  'a quorum': (world: World) => combined(world, 3),
  'all of two stores': (world: World) => combined(world, 2, { need: 'all' }),
  'a migration': (world: World) => migrating(world),
} as const satisfies Readonly<Record<string, (world: World) => Setting>>;
const exclusive = ['leases', 'multi-locks', 'nested calls'] as const;
const cases = [
  ...exclusive.map((name) => [name, 'a quorum'] as const),
  ...(['leases', 'read/write locks', 'semaphores'] as const).map((name) => [name, 'all of two stores'] as const),
  ...(['leases', 'read/write locks', 'multi-locks'] as const).map((name) => [name, 'a migration'] as const),
];

/** A schedule of a composite takes ten times as long as one of a memory. */
const count = Math.ceil(asked.schedules / 10 / cases.length);

describe(`${count} schedules over a bad network keep all promises`, () => {
  it.each(cases)('of %s in %s', { timeout }, async (name, store) => {
    await run(objects[name], stores[store], count, store === 'a migration' ? moving : 60);
  });
});
