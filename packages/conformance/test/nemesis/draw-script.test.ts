import { drawScript, faultKinds } from '@locks/conformance/nemesis';
import type { NemesisTarget } from '@locks/conformance/nemesis';
import { expect, test } from 'vitest';

const address = { host: '127.0.0.1', port: 1 };
const target: NemesisTarget = {
  name: 'drawn',
  ttl: 1_000,
  servers: [address, address, address],
  openings: { one: { settings: { pool: [1, 2, 3] } }, other: {} },
  faults: { restart: { begin: async () => {} } },
  duplicable: true,
};
const seeds = Array.from({ length: 50 }, (_, seed) => seed);

test('a seed gives the same script again, and another seed another one', () => {
  expect(drawScript(1, target)).toEqual(drawScript(1, target));
  expect(drawScript(1, target)).not.toEqual(drawScript(2, target));
});

test('each fault that a target can have, and each opening and setting, is drawn by some seed', () => {
  const scripts = seeds.map((seed) => drawScript(seed, target));
  const drawn = new Set(scripts.flatMap(({ faults }) => faults.map(({ kind }) => kind)));
  expect([...drawn].toSorted()).toEqual([...faultKinds(target)].toSorted());
  const workers = scripts.flatMap((script) => script.workers);
  expect(new Set(workers.map(({ opening }) => opening))).toEqual(new Set(['one', 'other']));
  expect(new Set(workers.flatMap(({ settings }) => settings['pool'] ?? []))).toEqual(new Set([1, 2, 3]));
});

test('faults end in time; those of one worker do not overlap, nor do those of servers', () => {
  for (const seed of seeds) {
    const { faults, length } = drawScript(seed, target);
    const ends = new Map<number | undefined, number>();
    for (const { at, duration, worker } of faults) {
      expect(at).toBeGreaterThanOrEqual(ends.get(worker) ?? 0);
      ends.set(worker, at + duration);
      expect(at + duration).toBeLessThanOrEqual(length);
    }
  }
});

test('only what is wanted, and what the target can do, is drawn', () => {
  const { faults, workers } = drawScript(
    3,
    { ...target, can: ({ mode }) => mode === 'exclusive' },
    { faults: ['late'] },
  );
  expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['late']));
  const turns = workers.flatMap(({ flows }) => flows.flat());
  expect(turns.filter(({ mode }) => mode === 'shared')).toEqual([]);
  expect(drawScript(3, { ...target, servers: [], faults: {} }, { faults: ['late'] }).faults).toEqual([]);
});

test('with deploys all workers go on to each next opening, in its order', () => {
  const { faults, workers } = drawScript(4, { ...target, deploys: ['one', 'other', 'one'] });
  expect(workers.map(({ opening }) => opening)).toEqual(['one', 'one', 'one', 'one']);
  const deploys = faults.filter(({ kind }) => kind === 'deploy');
  expect(deploys.map(({ opening }) => opening)).toEqual([...Array(4).fill('other'), ...Array(4).fill('one')]);
  expect(faults.filter(({ kind }) => kind === 'kill')).toEqual([]);
});
