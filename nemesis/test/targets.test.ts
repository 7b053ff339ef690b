import { expect, test } from 'vitest';
import { readCommandLine } from '../src/command-line.ts';
import { targets } from '../src/targets/index.ts';

const names = Object.keys(targets);

test('all stores, or some by their names, are attacked', () => {
  expect(readCommandLine(['--store', 'all'], names)?.stores).toEqual(names);
  // A run of all gives each name to a process of its own.
  expect(names).not.toContain('all');
  expect(readCommandLine(['--store', 'redis,sqlite', '--faults', 'kill,late', '--seed', '7'], names)).toMatchObject({
    stores: ['redis', 'sqlite'],
    faults: ['kill', 'late'],
    seed: 7,
    seconds: 60,
  });
  expect(readCommandLine(['--list'], names)?.stores).toBe('list');
});

test.each([
  [[]],
  [['redis']],
  [['--store', 'rediss']],
  [['--store', 'redis', '--seconds', '0']],
  [['--stores', 'all']],
])('the words %j are refused', (words) => {
  expect(() => readCommandLine(words, names)).toThrow(expect.objectContaining({ name: 'UsageError' }));
});

test('each target has a client, and names its adapters', () => {
  for (const { name, clients, adapters } of Object.values(targets)) {
    expect(clients, name).not.toEqual([]);
    expect(adapters, name).not.toEqual([]);
  }
});
