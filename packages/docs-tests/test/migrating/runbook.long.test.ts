import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrationStatus, waitForPhase } from '@locks/composites';
import { openLocks } from '@locks/core';
import type { Phase } from '@locks/composites';
import type { Locks, LocksConfig } from '@locks/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startStore } from '../support/stores.ts';
import type { Store } from '../support/stores.ts';

test('docs/migrating.md, step by step, by configuration alone: from ZooKeeper to Redis and back', async () => {
  const [from, to] = [await startStore('zookeeper'), await startStore('redis')];
  onTestFinished(async () => {
    await from.stop();
    await to.stop();
  });
  const folder = mkdtempSync(join(tmpdir(), 'locks-runbook-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'phase');
  const say = (phase: Phase): void => writeFileSync(file, phase);
  const config = (more: object = {}): LocksConfig => ({
    provider: 'migrate',
    ttl: '5s',
    options: { name: 'runbook', from: part(from), to: part(to), phase: `file:${file}`, presenceTtl: '5s', ...more },
  });
  const open = async (target: LocksConfig): Promise<Locks> => {
    const locks = await openLocks(target);
    onTestFinished(() => locks.close());
    return locks;
  };
  const highest = new Map<string, bigint>();
  const take = async (locks: Locks, ...keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      const { token } = await locks.withLock(key, async (lease) => lease);
      expect(token, key).toBeGreaterThan(highest.get(key) ?? 0n);
      highest.set(key, token);
    }
  };

  // Before: a plain process.
  const old = await open({ ...part(from), ttl: '5s' });
  await take(old, 'a', 'b');

  const obstacles = async (phase: Phase) =>
    (await migrationStatus(config(), { processes: 2 })).obstacles[phase].map(({ what }) => what);
  const wait = async (phase: Phase) => await waitForPhase(config(), phase, '60s', { processes: 2 });

  // Before: no process takes part.
  expect(await obstacles('both')).toContain('no process takes part under the name "runbook"');
  await expect(waitForPhase(config(), 'both', 0)).rejects.toThrow('no process takes part under the name "runbook"');

  // 1. Both, while an old process still runs.
  say('both');
  const fleet = [await open(config({ label: 'p1' })), await open(config({ label: 'p2' }))] as const;
  const held = await old.acquire('held-by-the-old-one');
  expect(await fleet[0].tryAcquire('held-by-the-old-one')).toBeNull();
  await vi.waitFor(async () => {
    const why = `"${held.key}" is held in "from" without migrate, by ${held.owner}`;
    expect(await obstacles('both')).toEqual([why]);
  }, 10_000);
  const long = await fleet[0].acquire('for the whole time');
  expect(await old.tryAcquire('for the whole time')).toBeNull();
  await take(fleet[1], 'a');
  await old.close();
  await wait('both');
  const wrongName = waitForPhase(config({ name: 'run-book' }), 'both', 0);
  await expect(wrongName).rejects.toThrow('processes take part under the name "runbook"');

  // 2. To.
  say('to');
  const { processes } = await wait('to');
  expect(processes.map(({ process }) => process.split('~')[0])).toEqual(['p1', 'p2']);
  // It was taken in both stores, and needs one by now.
  expect(long.held).toBe(true);
  expect(await long.release()).toBe(true);
  await take(fleet[0], 'a', 'b', 'new');
  await take(fleet[1], 'a', 'b', 'new');

  // Back, and forth again: each step can be taken back, through both.
  for (const phase of ['both', 'from', 'both', 'to'] as const) {
    say(phase);
    await wait(phase);
    await take(fleet[1], 'a', 'b', 'new');
  }

  // 3. The plain provider.
  expect((await migrationStatus(config())).to.safeIn ?? 0).toBe(0);
  for (const locks of fleet) await locks.close();
  const plain = await open({ ...part(to), ttl: '5s' });
  const most = [...highest.values()].reduce((one, other) => (one > other ? one : other));
  await take(plain, 'a', 'b', 'new');
  highest.set('first locked now', most);
  await take(plain, 'first locked now');
  const after = await migrationStatus(config());
  expect([after.processes, after.from.alone]).toEqual([[], []]);
}, 180_000);

function part({ url, options }: Store): Pick<LocksConfig, 'url' | 'options'> {
  return { url, options };
}
