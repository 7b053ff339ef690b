import { expect, test } from 'vitest';
import { events } from './support/events.ts';
import { forms, lossesTests } from './support/losses.ts';
import { readTable } from './support/losses-table.ts';

test('the table has all events, and all forms', () => {
  const cells = readTable();
  expect([...new Set(cells.map(({ event }) => event))]).toEqual(Object.keys(events));
  expect([...new Set(cells.map(({ form }) => form))]).toEqual(Object.keys(forms));
});

// Those of Sentinels and of a Cluster are in the folder `matrix`.
lossesTests('one server');
lossesTests('with `restartGuard`');
lossesTests('quorum of three');
