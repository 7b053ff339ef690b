import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { spoil } from '../src/flawed/spoil.ts';
import { cellsIn, cellsOf, kindsOf } from '../src/matrix/cells.ts';
import { withTable } from '../src/matrix/table.ts';
import { nextSlice } from '../src/matrix/weekly.ts';
import { defects } from '../src/planted/defects.ts';
import { targets } from '../src/targets/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const redis = targets['redis'] as (typeof targets)[string];

test('the table of docs/safety.md is what the data gives: run "npm run nemesis -- --table"', () => {
  const page = readFileSync(join(root, 'docs/safety.md'), 'utf8');
  // A formatter pads cells.
  const plain = (text: string): string => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
  expect(plain(page)).toBe(plain(withTable(page)));
});

test.each(defects)('the defect $name can be planted, and its target has what is to find it', (defect) => {
  const { target, client, faults = [], changes } = defect;
  const listed = targets[target];
  const known = listed === undefined ? [] : [...kindsOf(listed), 'none'];
  expect(known).toEqual(expect.arrayContaining([...faults]));
  if (client !== undefined) expect(listed?.clients).toContain(client);
  const folder = mkdtempSync(join(tmpdir(), 'locks-planted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, 'packages', defect.package, 'dist/bundle'), join(folder, 'dist'), { recursive: true });
  spoil(folder, { changes });
});

test('a round ran the cells of its workers: their clients, the faults they had, the calls they made', () => {
  const turn = { key: 'k', mode: 'exclusive', think: 0, hold: 0 } as const;
  const flows = [
    [
      { ...turn, how: 'acquire' },
      { ...turn, how: 'elect' },
    ] as const,
  ];
  const ran = cellsIn({
    seed: 1,
    length: 1_000,
    workers: [
      { opening: 'url', settings: {}, flows },
      { opening: 'ioredis', settings: {}, flows: [[{ ...turn, how: 'once' }]] },
    ],
    faults: [
      { kind: 'pause', at: 0, duration: 1, worker: 0 },
      { kind: 'flush', at: 0, duration: 1, server: 0 },
    ],
  });
  const cells = ['url / pause / acquire', 'url / pause / elect', 'url / flush / acquire', 'url / flush / elect'];
  expect(ran).toEqual([...cells, 'ioredis / flush / once']);
  expect(cellsOf(redis)).toEqual(expect.arrayContaining([...ran]));
});

test('the weekly walk takes what was not run for longest', () => {
  const cells = cellsOf(redis);
  const run = { target: 'redis', seed: 1, day: '2026-01-01', rounds: 1 };
  const isRedis = ({ name }: { readonly name: string }): boolean => name === 'redis';
  const but = (client: string, fault: string) => cells.filter((cell) => !cell.startsWith(`${client} / ${fault} / `));
  expect(nextSlice(isRedis, [{ ...run, cells: but('node-redis', 'flush') }])).toEqual({
    target: 'redis',
    client: 'node-redis',
    faults: ['flush'],
  });
  const again = { ...run, cells: but('url', 'pause') };
  expect(nextSlice(isRedis, [{ ...run, cells }, again])).toMatchObject({ client: 'url', faults: ['pause'] });
});
