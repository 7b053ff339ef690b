import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createExampleCopies } from '../support/example-copies.ts';
import type { ExampleCopies } from '../support/example-copies.ts';

let examples: ExampleCopies;

beforeAll(() => {
  examples = createExampleCopies();
});

afterAll(() => examples.remove());

test('live-migration: two processes move to the other store, and no update is lost', async () => {
  const example = examples.copy('live-migration');
  writeFileSync(join(example.folder, 'phase'), 'from\n');
  const services = [example.start(['service.js']), example.start(['service.js'])];
  const counter = (): number => Number(readFileSync(join(example.folder, 'counter'), 'utf8'));
  for (const phase of ['from', 'both', 'to'] as const) {
    const move = example.start(['move.js', phase]);
    expect(await move.end(), move.lines.join('\n')).toBe(0);
    expect(move.lines).toEqual([`all 2 processes are in phase "${phase}"`]);
    await Promise.all(services.map((service) => service.said(new RegExp(`^locks in phase "${phase}"$`))));
    // Both work under it.
    const before = counter();
    await expect.poll(counter, { timeout: 20_000 }).toBeGreaterThan(before + 5);
  }
  for (const service of services) expect(await service.end('SIGTERM'), service.lines.join('\n')).toBe(0);
  const made = await Promise.all(services.map((service) => service.said(/^made (\d+) updates$/)));
  expect(counter()).toBe(made.reduce((sum, [, updates]) => sum + Number(updates), 0));
});
