import { lockObjects, printTable, runConformance } from '@locks/conformance';
import { expect, test } from 'vitest';
import { makers } from '../src/objects/makers.ts';
import { deadlocksRequirements } from '../src/requirements/locks/deadlocks.ts';
import { electionsRequirements } from '../src/requirements/locks/elections.ts';
import { handOverRequirements } from '../src/requirements/locks/hand-over.ts';
import { objectsRequirements } from '../src/requirements/locks/objects.ts';
import { onceRequirements } from '../src/requirements/locks/once.ts';
import { memory, mustPass } from './support/memory.ts';

// docs/objects/providers.md has the table of all providers.
test.concurrent.each(lockObjects)('$name passes what is asked of it, on memory', async ({ name }) => {
  // Several at once in one process: where cores are scarce, each waits for what the others compute.
  const report = await runConformance({ ...memory(), name, object: name, ttl: 800 });
  console.log(printTable(report));
  mustPass(report);
});

test('an object with one holder is asked for what exclusive locks are asked for', () => {
  const asked = lockObjects.filter(({ exclusive }) => exclusive.length > 0).map(({ name }) => name);
  expect(asked).toEqual(Object.keys(makers));
});

test('each requirement that is about an object is asked of one', () => {
  const about = [
    objectsRequirements,
    deadlocksRequirements,
    electionsRequirements,
    handOverRequirements,
    onceRequirements,
  ].flat();
  const asked = new Set(lockObjects.flatMap(({ own }) => own));
  const others = about.map(({ id }) => id).filter((id) => !asked.has(id));
  // They are about providers that cannot carry the object.
  expect(others).toEqual(['locks-hand-over-session', 'locks-once-session']);
});

test('option "object" names one of them', async () => {
  const options = { ...memory(), object: 'latch' };
  await expect(runConformance(options)).rejects.toThrow('option "object" is "latch". Give one of "mutex", ');
});
