import { expect, test } from 'vitest';
import { createTextbook, textbookTraits } from '../flawed/textbook.ts';
import type { Store } from '../flawed/textbook.ts';
import { mustPass } from '../support/memory.ts';
import { runSideBySide } from '../support/side-by-side.ts';

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
