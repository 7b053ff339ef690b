import { lockObjects } from '@locks/conformance';
import { describe, expect, test } from 'vitest';
import { countFor, readTable, providerNames } from '../support/object-table.ts';

// `npm run objects` runs each object on each provider, and writes the table.
describe('the table of lock objects', () => {
  const rows = readTable();

  test('has each kind of provider', () => {
    expect(rows.map(({ name }) => name)).toEqual(providerNames);
  });

  test.each(rows)('$name passed what its traits ask for, with each object', ({ traits, passed }) => {
    const asked = lockObjects.map((object) => [object.name, countFor(object, traits)]);
    expect(passed).toEqual(Object.fromEntries(asked));
  });
});
