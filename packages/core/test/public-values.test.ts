import { inspect } from 'node:util';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LockError, createLocks, createMemoryProvider, subscribe } from '../src/index.ts';
import type { ChannelMessages } from '../src/index.ts';

/** All channels of this package but those of composites, which tell no bigint. */
const channels = Object.keys({
  'locks:acquire': true,
  'locks:claim': true,
  'locks:wait': true,
  'locks:woken': true,
  'locks:giveup': true,
  'locks:renew': true,
  'locks:release': true,
  'locks:transfer': true,
  'locks:withdraw': true,
  'locks:lost': true,
  'locks:slow': true,
  'locks:job': true,
  'locks:election': true,
} satisfies Record<
  Exclude<keyof ChannelMessages, 'locks:member' | 'locks:migration'>,
  true
>) as readonly (keyof ChannelMessages)[];

/** What `JSON.stringify`, `console.log` and pino make of `value`. Throws where one of them does. */
function shown(value: unknown) {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) });
  log.info({ value });
  const json = JSON.stringify(value);
  return {
    json: JSON.parse(json) as unknown,
    text: inspect(value, { depth: 9, breakLength: Infinity }),
    logged: (JSON.parse(lines[0] ?? '') as { readonly value: unknown }).value,
  };
}

function open() {
  const locks = createLocks(createMemoryProvider());
  onTestFinished(() => locks.close());
  return locks;
}

describe('a public value in JSON, for console.log, and in a log of pino', () => {
  it.each([
    ['a mutex', () => open().mutex('k'), { key: 'k', mode: 'exclusive' }, /^Lock \{ key: 'k'/],
    ['a reader', () => open().readWriteLock('k').read, { key: 'k', mode: 'shared' }, /^Lock \{ key: 'k', mode: 'sh/],
    ['a semaphore', () => open().semaphore('k', 3), { key: 'k', mode: 'shared', permits: 3 }, /^Lock \{ key: 'k'/],
    ['several permits', () => open().semaphore('k', 3).take(2), { key: 'k', permits: 3, count: 2 }, /^Permits \{ k/],
    [
      'several keys',
      () => open().multiLock(['b', 'a']),
      { keys: ['a', 'b'] },
      /^MultiLock \{ keys: \[ 'a', 'b' \] \}$/,
    ],
    ['an observer', () => open().leadership('k'), { key: 'k' }, /^Leadership \{ key: 'k' \}$/],
    ['a candidate', () => open().elect('k', () => {}), { key: 'k', leading: false }, /^Election \{ key: 'k', lead/],
  ])('%s says what it is', (_what, make, data, text) => {
    const { json, text: printed, logged } = shown(make());
    expect(json).toMatchObject(data);
    expect(logged).toMatchObject(data);
    expect(printed).toMatch(text);
    expect(printed.length).toBeLessThan(100);
  });

  it('a lease shows its key and its token also where it is the fields of a line of pino', async () => {
    const lease = await open().acquire('k');
    const lines: string[] = [];
    pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) }).info(lease);
    expect(lines[0]).toContain(`"key":"k","token":${lease.token}`);
  });

  it('tokens are decimal digits: of a state, of a leader, of several keys', async () => {
    const locks = open();
    const lease = await locks.multiLock(['a', 'b']).acquire();
    const tokens = { a: `${lease.tokens.get('a')}`, b: `${lease.tokens.get('b')}` };
    expect(shown(lease).json).toMatchObject({ keys: ['a', 'b'], tokens });
    const state = await locks.inspect('a');
    expect(shown(state)).toMatchObject({
      json: { key: 'a', holders: [{ key: 'a', token: tokens.a }] },
      logged: { holders: [{ token: tokens.a }] },
    });
    expect(Object.keys(state.holders[0] ?? {})).not.toContain('toJSON');
    expect(structuredClone(state)).toEqual(state);
    expect(shown(await locks.leadership('b').leader()).json).toMatchObject({ token: tokens.b });
  });

  it('each message of diagnostics', async () => {
    const told = new Set<string>();
    for (const name of channels) {
      const end = subscribe(name, (message) => {
        const { json, logged } = shown(message);
        expect(json).toMatchObject({ provider: 'memory' });
        expect(logged).toMatchObject({ provider: 'memory' });
        const { token } = json as { readonly token?: unknown };
        if (token !== undefined) expect(token).toMatch(/^\d+$/);
        told.add(name);
      });
      onTestFinished(() => end());
    }
    const locks = createLocks(createMemoryProvider(), { ttl: 5_000, slowWait: 20 });
    const lease = await locks.acquire('k');
    await locks.acquire('k', { wait: 60 }).catch(() => {});
    await lease.renew();
    const next = locks.acquire('k');
    await vi.waitFor(async () => expect((await locks.inspect('k')).waiters).toBe(1));
    await Promise.all([lease.release(), next.then((woken) => woken.release())]);
    const lost = await locks.acquire('lost');
    await locks.forceRelease(lost);
    await lost.renew().catch(() => {});
    await (await locks.acquire('given')).transfer();
    await locks.elect('job', () => {}).resign();
    await locks.once('report', 'ever', () => {});
    await locks.withLock('last', () => {});
    await locks.close();
    expect([...told].toSorted()).toEqual(channels.toSorted());
  });
});

describe('a LockError', () => {
  it('shows what it has, and nothing that it has not', () => {
    const plain = new LockError('LOCK_TIMEOUT', 'It is taken.');
    expect(Object.keys(plain)).toEqual(['name', 'code']);
    expect(inspect(plain)).not.toContain('undefined');
    expect({ ...shown(plain), text: '' }).toMatchObject({
      json: { name: 'LockError', code: 'LOCK_TIMEOUT', message: 'It is taken.' },
    });
  });

  it('is data in JSON and for other threads, whatever its result and its cause are', () => {
    const error = new LockError('LOCK_LOST', 'Gone.', { key: 'k', result: 5n, cause: Object.create(null) as object });
    expect(shown(error).json).toEqual({
      name: 'LockError',
      code: 'LOCK_LOST',
      message: 'Gone.',
      key: 'k',
      cause: 'object',
    });
    const sent = new LockError('LOCK_UNAVAILABLE', 'No.', {
      sent: false,
      retryAfter: 7,
      wait: 5,
      holders: ['a'],
      cause: new Error('reset'),
    });
    expect(structuredClone(sent.toJSON())).toEqual({
      name: 'LockError',
      code: 'LOCK_UNAVAILABLE',
      message: 'No.',
      sent: false,
      retryAfter: 7,
      wait: 5,
      holders: ['a'],
      cause: 'Error: reset',
    });
  });
});
