import { createLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { eventually, setSequence } from '@locks/test-servers';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createZookeeperProvider } from '../../../src/index.ts';
import type { Recipe } from '../../../src/index.ts';
import { renewedSequence, sequenceLimit } from '../../../src/nodes/sequence.ts';
import type { Session } from '../../../src/session/session.ts';
import { getChildren } from '../../../src/wire/requests.ts';
import { Opened, makeNode } from '../../support/sessions.ts';
import { ownServer } from '../../support/servers.ts';
import { unavailable } from '../../../../core/test/support/lock-error.ts';

const root = '/sequence';
const server = await ownServer({ tickTime: 500, maxSessionTimeout: 60_000 });

/** Two processes and an observer. */
class Setting implements AsyncDisposable {
  readonly history = createHistory(() => performance.now());
  readonly one: Locks = open('one');
  readonly another: Locks = open('another');
  readonly key: string = randomUUID();
  readonly #opened: Opened = new Opened();
  readonly #session: Promise<Session>;

  constructor() {
    this.#session = this.#opened.sessions([server], { sessionTimeout: 20_000 }).ready(10_000);
  }

  get folder(): string {
    return `${root}/${this.key}`;
  }

  granted(lease: Lease): Lease {
    this.history.granted('a process', lease);
    return lease;
  }

  async release(lease: Lease): Promise<void> {
    expect(await this.history.release(lease)).toBe(true);
  }

  /** The numbers in the queue, `undefined` where there is no folder. */
  async numbers(): Promise<readonly number[] | undefined> {
    const answer = await (await this.#session).send(getChildren(this.folder));
    if (!answer.ok && answer.error !== 'NO_NODE') throw new Error(answer.error);
    return answer.ok
      ? answer.value.children.map((name) => Number(name.slice(-10))).toSorted((a, b) => a - b)
      : undefined;
  }

  /** A node that another library made, which counts on without any limit. */
  async foreign(): Promise<string> {
    return await makeNode(await this.#session, `${this.folder}/${randomUUID()}-lock-`, 'ephemeral-sequential');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.one.close(), this.another.close()]);
    await this.#opened[Symbol.asyncDispose]();
    expect(checkHistory(this.history.events)).toEqual([]);
  }
}

function open(label: string, recipe: Recipe = 'mutex'): Locks {
  const provider = createZookeeperProvider({ servers: `${server.host}:${server.port}`, root, acl: 'open', recipe });
  return createLocks(provider, { label });
}

/** The key works from its first number on, for both processes and many times. */
async function worksAgain(setting: Setting, after: bigint): Promise<void> {
  let token = after;
  for (let count = 0; count < 6; count += 1) {
    const lease = setting.granted(await (count % 2 === 0 ? setting.one : setting.another).acquire(setting.key));
    expect(lease.token).toBeGreaterThan(token);
    ({ token } = lease);
    expect(await setting.numbers()).toEqual([count]);
    await setting.release(lease);
  }
}

const refusal = {
  code: 'LOCK_UNAVAILABLE',
  cause: unavailable(/^The sequence numbers of ".*" are used up: .* 2147483647\. They restart when/),
};

test('near the end of the numbers no claim comes in; the waiters in the queue are served, and the last claim to leave lets the numbers begin anew', async () => {
  const key = randomUUID();
  await setSequence(server, `${root}/${key}`, sequenceLimit - 2);
  await using setting = Object.assign(new Setting(), { key });
  const holder = setting.granted(await setting.one.acquire(key));
  const waiting = setting.another.acquire(key).then((lease) => setting.granted(lease));
  await eventually('a claim waits', async () => (await setting.numbers())?.length === 2);
  for (const options of [{}, { mode: 'shared' }, { mode: 'shared', permits: 3 }] as const) {
    await expect(setting.one.tryAcquire(key, options)).rejects.toMatchObject(refusal);
    await expect(setting.another.tryAcquire(key, options)).rejects.toMatchObject(refusal);
  }
  const patient = setting.one.acquire(key).then((lease) => setting.granted(lease));
  expect(holder.held).toBe(true);
  await setting.release(holder);
  const next = await waiting;
  expect(next.token).toBeGreaterThan(holder.token);
  await setting.release(next);
  // One that waited all the time gets its turn now, in the new folder.
  const late = await patient;
  expect(await setting.numbers()).toEqual([0]);
  await setting.release(late);
  const folder = await setting.numbers();
  expect(folder).toEqual([]);
  const again = setting.granted(await setting.another.acquire(key));
  expect(await setting.numbers()).toEqual([1]);
  await setting.release(again);
});

test('at 2^31 - 1, which ZooKeeper gives to all claims that come then, no claim is granted beside a holder', async () => {
  const key = randomUUID();
  await setSequence(server, `${root}/${key}`, 2 ** 31 - 2);
  await using setting = Object.assign(new Setting(), { key });
  const foreign = [await setting.foreign(), await setting.foreign(), await setting.foreign()];
  expect(foreign.map((path) => path.slice(-10))).toEqual(['2147483646', '2147483647', '2147483647']);
  for (const locks of [setting.one, setting.another]) {
    for (const options of [{}, { mode: 'shared' }] as const)
      await expect(locks.tryAcquire(key, options)).rejects.toMatchObject(refusal);
  }
  expect(await setting.numbers()).toHaveLength(3);
});

test('numbers that are used up are no obstacle once the queue is empty', async () => {
  const key = randomUUID();
  await setSequence(server, `${root}/${key}`, 2 ** 31 - 1);
  await using setting = Object.assign(new Setting(), { key });
  await expect(setting.one.tryAcquire(key)).rejects.toMatchObject(refusal);
  await eventually('the folder is gone', async () => (await setting.numbers()) === undefined);
  await worksAgain(setting, 0n);
});

test('from 2^30 on the last claim to leave removes the folder, and below none does', async () => {
  const key = randomUUID();
  await setSequence(server, `${root}/${key}`, renewedSequence - 1);
  await using setting = Object.assign(new Setting(), { key });
  const below = setting.granted(await setting.one.acquire(key));
  await setting.release(below);
  expect(await setting.numbers()).toEqual([]);
  const holder = setting.granted(await setting.one.acquire(key));
  expect(await setting.numbers()).toEqual([renewedSequence]);
  const waiting = setting.another.acquire(key).then((lease) => setting.granted(lease));
  await eventually('a claim waits', async () => (await setting.numbers())?.length === 2);
  await setting.release(holder);
  const last = await waiting;
  expect(await setting.numbers()).toEqual([renewedSequence + 1]);
  expect(last.token).toBeGreaterThan(holder.token);
  await setting.release(last);
  expect(await setting.numbers()).toBeUndefined();
  await worksAgain(setting, last.token);
});

test('a semaphore whose queue and leases are at the end of their numbers', async () => {
  const key = randomUUID();
  const two = { mode: 'shared', permits: 2 } as const;
  await setSequence(server, `${root}/${key}/locks`, sequenceLimit);
  await setSequence(server, `${root}/${key}/leases`, 2 ** 31 - 1);
  await using one = open('one', 'semaphore');
  await using another = open('another', 'semaphore');
  await expect(one.tryAcquire(key, two)).rejects.toMatchObject(refusal);
  // Its queue begins anew; the numbers of leases say nothing.
  const first = await one.acquire(key, two);
  const second = await another.acquire(key, two);
  expect(await one.tryAcquire(key, two)).toBeNull();
  expect(await another.tryAcquire(key)).toBeNull();
  const waiting = one.acquire(key, two);
  await eventually('it waits', async () => (await another.inspect(key)).waiters === 1);
  expect((await another.inspect(key)).holders).toHaveLength(2);
  expect(await first.release()).toBe(true);
  const third = await waiting;
  expect(second.token).toBeGreaterThan(first.token);
  expect(third.token).toBeGreaterThan(second.token);
  for (const lease of [second, third]) expect(await lease.release()).toBe(true);
  await using alone = await another.acquire(key);
  expect(alone.token).toBeGreaterThan(third.token);
});
