import { setTimeout } from 'node:timers/promises';
import type { KeyState, LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { eventually } from '@locks/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fromConfig } from '../../src/index.ts';
import type { SqlOptions } from '../../src/index.ts';
import { startContender } from '../servers/contenders.ts';
import { inQueue } from '../servers/parties.ts';
import { connect, databases, rowsOf, servers, withTables } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';
import type { Party } from '../support/locks-over.ts';
import type { Database } from '../support/databases.ts';
import { endSessionOfFirst } from '../support/session-of-first.ts';
import { wakeReports } from '../support/wake-reports.ts';

/** How long a position in the queue lasts, in ms: so long lasts what a release gives, at most. */
const waiterTtl = 3_000;
const ttl = 10_000;

const holderOf = ({ holders }: KeyState): string | undefined => holders[0]?.owner;

interface Setting {
  readonly url: string;
  /** With a pool of its own, as another process has it. */
  party(options?: SqlOptions): Party;
}

async function own(database: Database): Promise<Setting> {
  const { url } = await withTables(database);
  return { url, party: (options) => locksOver(connect(url), { waiterTtl, ...options }, { ttl }) };
}

// On SQLite a process that is stopped may be within a transaction: its own tests do it otherwise.

test.each(servers)(
  'on $name a release gives the key to the first in the queue, before its process has said a word',
  async (database) => {
    const setting = await own(database);
    const { locks, provider } = setting.party();
    const held = await locks.acquire('job');
    const contender = await startContender();
    const options = { waiterTtl };
    const served = contender.contend({ url: setting.url, key: 'job', workers: 1, rounds: 1, ttl, options });
    const { queue } = await inQueue(provider, 1);
    contender.signal('SIGSTOP');
    // What it sent before takes effect first.
    await setTimeout(300);
    expect(await held.release()).toBe(true);
    const state = await provider.inspect('job');
    expect(state).toMatchObject({ holders: [{ owner: queue?.[0]?.owner, mode: 'exclusive' }], waiters: 0 });
    const [{ token = 0n, remaining }] = state.holders as [KeyState['holders'][number]];
    expect(token).toBeGreaterThan(held.token);
    // No longer than the place, as its process may be gone.
    expect(remaining).toBeLessThanOrEqual(waiterTtl);
    contender.signal('SIGCONT');
    expect(await served).toEqual([token]);
    await eventually('a free key', async () => (await provider.inspect('job')).holders.length === 0);
  },
);

// Its looks read the head from the row of the key.
test.each(databases.filter(({ name }) => name === 'MariaDB'))(
  'on $name a key whose only place has lapsed has no head',
  async (database) => {
    const { url, party } = await own(database);
    const [holder, waiter] = [party(), party({ waiterTtl: 300 })];
    const lease = await holder.locks.acquire('job');
    const knex = connect(url);
    const headOf = async (): Promise<unknown> =>
      (await rowsOf(knex('locks').where('key', Buffer.from('job')).select('head_process')))[0]?.['head_process'];
    // Outside of a wait nothing keeps its place.
    await waiter.provider.tryAcquire({ key: 'job', owner: 'gone', ttl, mode: 'exclusive' }, () => {});
    expect(await headOf()).not.toBeNull();
    await waiter.provider.close();
    await eventually('the lapse of the place', async () => (await holder.provider.inspect('job')).waiters === 0);
    await lease.release();
    expect(await headOf()).toBeNull();
  },
);

const claim = (owner: string) => ({ key: 'job', owner, ttl, mode: 'exclusive' }) as const;

/** A process with `runtime`, which hears of its turns. */
async function hearing({ url }: Setting, runtime: Runtime): Promise<LockProvider> {
  const { states } = wakeReports();
  const provider = await fromConfig({ url, options: { waiterTtl }, runtime });
  onTestFinished(() => provider.close());
  for (const owner of ['one', 'two']) await provider.tryAcquire({ ...claim(owner), key: 'other' }, () => {});
  await eventually('a process that listens', () => states.at(-1) === 'listening');
  return provider;
}

test.each(servers)(
  'on $name a grant that another process made lasts for the claim as long as for the server',
  async (database) => {
    const setting = await own(database);
    const { provider: there } = setting.party();
    await there.tryAcquire(claim('holder'));
    const here = await hearing(setting, systemRuntime);
    let woken = false;
    await here.tryAcquire(claim('waiter'), () => (woken = true));
    // The last sign of life of its place is so old then, in ms.
    const age = 700;
    await setTimeout(age);
    woken = false;
    await there.release(claim('holder'));
    await eventually('a wake', () => woken);
    const grant = await here.tryAcquire(claim('waiter'), () => {});
    const { holders } = await here.inspect('job');
    const left = grant.granted ? (grant.validity ?? ttl) : 0;
    expect(left).toBeGreaterThan(waiterTtl / 2);
    expect(left).toBeLessThanOrEqual(waiterTtl);
    // A call may be slow here. Its age was taken off twice once.
    expect((holders[0]?.remaining ?? 0) - left).toBeLessThan(age / 2);
  },
);

describe.each(servers)('on $name, where the session of a process has ended', (database) => {
  /** A process with two in the queue, behind another one. It opens no other session. */
  async function cutOff(): Promise<{ readonly here: LockProvider; release(): Promise<boolean> }> {
    const setting = await own(database);
    const { provider: there } = setting.party();
    await there.tryAcquire(claim('holder'));
    let ended = false;
    const runtime: Runtime = {
      ...systemRuntime,
      setTimer: (callback, delay, keeps) => systemRuntime.setTimer(callback, ended ? 3_600_000 : delay, keeps),
    };
    const { states } = wakeReports();
    const here = await hearing(setting, runtime);
    for (const owner of ['first', 'second']) await here.tryAcquire(claim(owner), () => {});
    ended = true;
    await endSessionOfFirst(database, connect(setting.url));
    await eventually('that it knows', () => states.at(-1) !== 'listening');
    return { here, release: () => there.release(claim('holder')) };
  }

  test('a newcomer of its own does not pass those that wait', async () => {
    const { here, release } = await cutOff();
    await release();
    expect(holderOf(await here.inspect('job'))).toBeUndefined();
    expect(await here.tryAcquire(claim('newcomer'), () => {})).toMatchObject({ granted: false });
    expect(holderOf(await here.inspect('job'))).toBe('first');
  });

  test('nor does it in the queue, where the others have their places from that session', async () => {
    const { here, release } = await cutOff();
    await here.tryAcquire(claim('newcomer'), () => {});
    await release();
    expect(holderOf(await here.inspect('job'))).toBe('first');
  });
});

describe.each(servers)('on $name', (database) => {
  test('shared claims and short ttls are told, and try', async () => {
    const setting = await own(database);
    const wakes: string[] = [];
    const { provider } = setting.party();
    for (const [mode, length] of [
      ['shared', ttl],
      ['exclusive', waiterTtl / 2 - 1],
    ] as const) {
      const key = `${mode} ${length}`;
      await provider.tryAcquire({ key, owner: 'holder', ttl, mode: 'exclusive' });
      await provider.tryAcquire({ key, owner: 'waiter', ttl: length, mode }, () => wakes.push(key));
      await provider.release({ key, owner: 'holder', ttl, mode: 'exclusive' });
      expect(await provider.inspect(key)).toMatchObject({ holders: [], waiters: 1 });
      await eventually('a wake', () => wakes.includes(key));
    }
  });
});

describe.each(databases)('on $name', (database) => {
  test('a claim of the same process has the grant with no other call', async () => {
    const setting = await own(database);
    const { locks, provider } = setting.party();
    const held = await locks.acquire('job', { ttl });
    const { states } = wakeReports();
    const waits = locks.acquire('job', { ttl });
    const { queue } = await inQueue(provider, 1);
    await eventually('a process that listens', () => states.at(-1) === 'listening');
    // It has shown its place once more.
    await setTimeout(300);
    await held.release();
    const lease = await waits;
    expect([lease.owner, lease.token > held.token]).toEqual([queue?.[0]?.owner, true]);
    // Its whole ttl comes with the first renewal.
    if (database.name !== 'SQLite') expect(lease.remaining).toBeLessThanOrEqual(waiterTtl);
    await lease.renew();
    expect(lease.remaining).toBeGreaterThan(ttl / 2);
    expect(await lease.release()).toBe(true);
    expect(await provider.inspect('job')).toMatchObject({ holders: [], waiters: 0 });
  });
});
