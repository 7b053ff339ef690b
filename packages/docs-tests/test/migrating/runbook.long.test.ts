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

  const allowed = { allowed: true, why: [] };
  const check = async () => (await migrationStatus(config(), { processes: 2 })).next;
  const wait = async (phase: Phase) => await waitForPhase(config(), phase, '60s', { processes: 2 });

  // Before: no process takes part.
  expect(await check()).toEqual({ forward: { step: 'both', ...allowed } });
  await expect(waitForPhase(config(), 'both', 0)).rejects.toThrow('no process takes part under the name "runbook"');

  // 1. Both, while an old process still runs.
  say('both');
  const fleet = [await open(config({ label: 'p1' })), await open(config({ label: 'p2' }))] as const;
  const held = await old.acquire('held-by-the-old-one');
  expect(await fleet[0].tryAcquire('held-by-the-old-one')).toBeNull();
  const tooEarly = { step: 'to', allowed: false };
  await vi.waitFor(async () => {
    const why = [`"${held.key}" is held in "from" without migrate, by ${held.owner}`];
    expect(await check()).toEqual({ forward: { ...tooEarly, why }, back: { step: 'from', ...allowed } });
  }, 10_000);
  const long = await fleet[0].acquire('for the whole time');
  expect(await old.tryAcquire('for the whole time')).toBeNull();
  await take(fleet[1], 'a');
  await old.close();
  await wait('both');
  expect(await check()).toEqual({ forward: { step: 'to', ...allowed }, back: { step: 'from', ...allowed } });
  const wrongName = waitForPhase(config({ name: 'run-book' }), 'both', 0);
  await expect(wrongName).rejects.toThrow('processes take part under the name "runbook": use that name');

  // 2. To.
  say('to');
  const { processes } = await wait('to');
  expect(processes.map(({ process }) => process)).toEqual(['p1', 'p2']);
  await take(fleet[0], 'a', 'b', 'new');
  await take(fleet[1], 'a', 'b', 'new');
  const { forward, back } = await check();
  expect(forward).toMatchObject({ step: 'plain to', ...allowed, tokenFloor: expect.any(String) as unknown });
  expect(back).toEqual({ step: 'both', ...allowed });
  const redis = (await migrationStatus(config())).to;
  // The floor rises half as fast as the clock.
  expect(redis.plainSafeIn).toBeGreaterThan(100 * hour);

  // Back, and forth again: each step can be taken back, through both.
  say('from');
  await vi.waitFor(async () => {
    const { forward: barred, back: home } = await check();
    const why = ['p1', 'p2'].map((name) => `${name} is in "both", waits for "from"`);
    expect(barred).toEqual({ step: 'both', ...allowed });
    expect(home).toMatchObject({ step: 'plain from', allowed: false });
    expect(home?.why).toEqual(expect.arrayContaining(why));
  }, 30_000);
  for (const phase of ['both', 'from', 'both', 'to'] as const) {
    say(phase);
    await wait(phase);
    await vi.waitFor(async () => expect((await check()).forward).toMatchObject(allowed), 20_000);
    await take(fleet[1], 'a', 'b', 'new');
  }
  expect(long.held).toBe(true);
  expect(await long.release()).toBe(true);

  // 3. The plain provider, with its floor.
  const { tokenFloor } = (await check()).forward;
  for (const locks of fleet) await locks.close();
  const plain = await open({ ...part(to), ttl: '5s', tokenFloor });
  const most = [...highest.values()].reduce((one, other) => (one > other ? one : other));
  await take(plain, 'a', 'b', 'new');
  highest.set('first locked now', most);
  await take(plain, 'first locked now');
  const after = await migrationStatus(config());
  expect([after.processes, after.from.direct]).toEqual([[], []]);
}, 180_000);

function part({ url, options }: Store): Pick<LocksConfig, 'url' | 'options'> {
  return { url, options };
}
