import { runConformance } from '@locks/conformance';
import { expect, test } from 'vitest';
import { createTextbook, textbookTraits } from '../flawed/textbook.ts';
import type { Store } from '../flawed/textbook.ts';
import { memory, mustPass } from '../support/memory.ts';
import { alone, runSideBySide, together } from '../support/side-by-side.ts';

const runs = 20;
test(`the memory provider passes ${runs} times in a row`, async () => {
  const reports = await Promise.all(
    Array.from({ length: runs }, () => runConformance({ ...memory(), ttl: 250, only: together })),
  );
  for (const report of reports) mustPass(report);
});

test(`what must run alone passes ${runs} times in a row`, async () => {
  for (let run = 0; run < runs; run += 1) mustPass(await runConformance({ ...memory(), only: alone }));
});

test('a store without order passes everything, and is not told that it is fair', async () => {
  const report = await runSideBySide(() => {
    const store: Store = new Map();
    const create = () => ({
      ...createTextbook(store, { inTurn: () => true, placeTtl: 3_000 }),
      traits: { ...textbookTraits, fair: false },
    });
    return { name: 'textbook', create, createOther: create, ttl: 200 };
  });
  mustPass(report);
  expect(report.notes).toEqual([]);
  expect(report.results.find(({ id }) => id === 'fair-order')?.status).toBe('not-applicable');
});
