import { describe, expect, it, onTestFinished } from 'vitest';
import { subscribe } from '../../src/index.ts';
import { simulate } from '../../src/testing/index.ts';
import type { Simulated, World } from '../../src/testing/index.ts';
import { asked, timeout } from './asked.ts';
import { flawedProviders } from './flaws.ts';
import { Holds } from './holds.ts';
import type { ObjectScenario } from './holds.ts';
import { scenarios } from './objects.ts';
import { openMemory, openRecord } from './stores.ts';

const all = Object.entries(scenarios);
const stores = { memory: openMemory, records: openRecord };
type Store = keyof typeof stores;
const cases = all.flatMap(([name, scenario]) =>
  // Only the memory says when a key was granted, which rests are counted from.
  (Object.keys(stores) as Store[])
    .filter((store) => store === 'memory' || name !== 'keys that rest')
    .map((store) => [name, store, scenario] as const),
);

/** All cases together play a quarter of the schedules that were asked for: they take longer. */
const count = Math.ceil(asked.schedules / 4 / cases.length);

async function run(scenario: ObjectScenario, open: typeof openMemory, schedules: number): Promise<Simulated> {
  // A leader that fails is no news here.
  onTestFinished(subscribe('locks:election', () => {}));
  return await simulate({ ...asked, settle: 2_700, schedules }, (world: World) => {
    const holds = new Holds(world);
    return { ...scenario(world, holds), open: open(world, holds), look: () => holds.look() };
  });
}

describe(`${count} schedules over a bad network keep all promises`, () => {
  it.each(cases)('of %s in %s', { timeout }, async (_, store, scenario) => {
    await run(scenario, stores[store], count);
  });
});

it.each(all)('100 schedules of %s find a provider that frees a key too early', async (_, scenario) => {
  const flaw = flawedProviders['frees a key before its ttl ends'];
  await expect(run(scenario, (world, holds) => openMemory(world, holds, flaw), 100)).rejects.toThrow(/hold|permits/);
});
