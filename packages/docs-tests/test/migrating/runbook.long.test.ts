import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrationStatus, openLocks, waitForPhase } from '@locks/core';
import type { Locks, LocksConfig, Phase } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { startStore } from '../support/stores.ts';
import type { Store } from '../support/stores.ts';

const hour = 3_600_000;
/** So far ahead of the clock is a ZooKeeper after 50 elections. */
const elections = 60 * hour;

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
  const old = await open({ ...part(from), tokenFloor: (Date.now() + elections) * 1_000, ttl: '5s' });
  await take(old, 'a', 'b');

  // 1. Both, while an old process still runs.
  say('both');
  const fleet = [await open(config({ label: 'p1' })), await open(config({ label: 'p2' }))] as const;
  const held = await old.acquire('held-by-the-old-one');
  expect(await fleet[0].tryAcquire('held-by-the-old-one')).toBeNull();
  expect((await migrationStatus(config())).from.direct).toMatchObject([{ key: held.key, owner: held.owner }]);
  const long = await fleet[0].acquire('for the whole time');
  expect(await old.tryAcquire('for the whole time')).toBeNull();
  await take(fleet[1], 'a');
  await old.close();
  expect((await migrationStatus(config())).from.direct).toEqual([]);

  // 2. To.
  say('to');
  const { processes, to: redis } = await waitForPhase(config(), 'to', '60s');
  expect(processes.map(({ process }) => process)).toEqual(['p1', 'p2']);
  await take(fleet[0], 'a', 'b', 'new');
  await take(fleet[1], 'a', 'b', 'new');
  expect(redis.plainSafeIn).toBeGreaterThan(50 * hour);

  // Back, and forth again: each step can be taken back.
  say('from');
  await waitForPhase(config(), 'from', '60s');
  await take(fleet[1], 'a', 'b', 'new');
  say('to');
  await waitForPhase(config(), 'to', '60s');
  await take(fleet[0], 'a', 'b', 'new');
  expect(long.held).toBe(true);
  expect(await long.release()).toBe(true);

  // 3. The plain provider, earlier than the status says: with its floor.
  const { floor } = (await migrationStatus(config())).to;
  for (const locks of fleet) await locks.close();
  const plain = await open({ ...part(to), ttl: '5s', tokenFloor: floor });
  const most = [...highest.values()].reduce((one, other) => (one > other ? one : other));
  await take(plain, 'a', 'b', 'new');
  highest.set('first locked now', most);
  await take(plain, 'first locked now');
}, 180_000);

function part({ url, options }: Store): Pick<LocksConfig, 'url' | 'options'> {
  return { url, options };
}
