import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LockError, createMemoryProvider, createMemoryStore, openLocks } from '../../../core/src/index.ts';
import type {
  AdapterConfig,
  LockProvider,
  Locks,
  LocksConfig,
  MemberMessage,
  Traits,
} from '../../../core/src/index.ts';
import * as combination from '../../src/open/combine.ts';
import { LateMember } from '../../src/members/late-member.ts';
import { standIn } from '../../../core/test/support/stand-in.ts';
import { settle, VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { through } from '../support/through.ts';

/** An adapter whose server the test starts and stops. */
class Adapter {
  /** What opening rejects with; `undefined`: it opens. */
  down: unknown = undefined;
  /** What opening waits for. */
  hangs: Promise<void> | undefined = undefined;
  /** What calls to an open provider reject with. */
  lost: unknown = undefined;
  opened = 0;
  closed = 0;
  readonly #traits: Partial<Traits>;
  readonly #store: ReturnType<typeof createMemoryStore>;

  constructor(runtime: VirtualRuntime, traits: Partial<Traits> = {}) {
    this.#traits = traits;
    this.#store = createMemoryStore({ runtime });
  }

  readonly fromConfig = async ({ runtime }: AdapterConfig): Promise<LockProvider> => {
    await this.hangs;
    if (this.down !== undefined) throw this.down as Error;
    this.opened += 1;
    const provider = createMemoryProvider({ store: this.#store, runtime });
    const unlessLost = async <T>(call: () => Promise<T>): Promise<T> => {
      if (this.lost !== undefined) throw this.lost as Error;
      return await call();
    };
    return {
      ...through(provider, unlessLost),
      traits: { ...provider.traits, ...this.#traits },
      close: async () => {
        this.closed += 1;
        await provider.close();
      },
    };
  };
}

const refused = (text = 'connect ECONNREFUSED'): LockError => new LockError('LOCK_UNAVAILABLE', text);

function setting(...traits: readonly Partial<Traits>[]) {
  const runtime = new VirtualRuntime();
  const adapters = [0, 1, 2].map((index) => new Adapter(runtime, traits[index]));
  const [first, second, third] = adapters as [Adapter, Adapter, Adapter];
  const messages: MemberMessage[] = [];
  const listener = (message: unknown): void => void messages.push(message as MemberMessage);
  subscribe('locks:member', listener);
  onTestFinished(() => void unsubscribe('locks:member', listener));
  const config = (options: object = {}, more: LocksConfig = {}): LocksConfig => ({
    // The module, as to import it by its name takes real time.
    provider: combination,
    runtime,
    ...more,
    options: { members: adapters.map((provider) => ({ provider })), ...options },
  });
  const open = async (options: object = {}, more: LocksConfig = {}): Promise<Locks> => {
    const locks = await openLocks(config(options, more));
    onTestFinished(async () => {
      const closing = locks.close();
      await runtime.advance(10_000);
      await closing;
    });
    return locks;
  };
  return { runtime, first, second, third, messages, config, open };
}

async function collect(keys: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const key of keys) all.push(key);
  return all;
}

/** What a call rejects with. */
async function refusal(call: Promise<unknown>): Promise<LockError> {
  return await call.then(
    () => {
      throw new Error('It did not reject');
    },
    (error: unknown) => error as LockError,
  );
}

describe('a composite in configuration', () => {
  it.each([0, 1, 2])('opens without member %i, which joins once its server answers', async (dead) => {
    const { runtime, first, second, third, messages, open } = setting();
    const adapters = [first, second, third];
    const late = adapters[dead] as Adapter;
    late.down = refused();
    const locks = await open();
    expect(locks.traits).toMatchObject({ scope: 'process', fair: true, wake: true });
    await locks.withLock('key', () => {});
    const member = `member ${dead + 1} of 3 (adapter)`;
    expect(messages).toEqual([
      { provider: 'combine', member, index: dead, state: 'refuses', suspect: true, error: late.down },
    ]);
    await runtime.advance(20_000);
    expect(messages).toHaveLength(1);
    late.down = undefined;
    await runtime.advance(3_000);
    expect(messages.slice(1)).toEqual([{ provider: 'combine', member, index: dead, state: 'answers', suspect: false }]);
    expect(late.opened).toBe(1);
    // Its vote is needed now.
    (adapters[(dead + 1) % 3] as Adapter).lost = refused();
    expect(await locks.withLock('key', () => 'done')).toBe('done');
  });

  it('tries again more and more rarely, and never keeps the process alive', async () => {
    const { runtime, third, open } = setting();
    let attempts = 0;
    const { fromConfig } = third;
    Object.assign(third, {
      fromConfig: (config: AdapterConfig) => {
        attempts += 1;
        return fromConfig(config);
      },
    });
    third.down = refused();
    await open();
    await runtime.advance(1_000);
    expect(attempts).toBeGreaterThan(3);
    expect(runtime.keepAliveTimers).toBe(0);
    const early = attempts;
    await runtime.advance(60_000);
    expect(attempts - early).toBeGreaterThan(60 / 3 - 2);
    expect(attempts - early).toBeLessThan(60 / 1.5 + 2);
  });

  it('waits a moment for a member that is only slower than the others', async () => {
    const { runtime, second, open, messages } = setting();
    second.hangs = new Promise((resolve) => void runtime.setTimer(resolve, 300, false));
    const opening = open();
    await runtime.advance(300);
    expect(second.opened).toBe(1);
    await opening;
    expect(messages).toEqual([]);
  });

  it('does not wait longer than memberTimeout', async () => {
    const { runtime, second, open, messages } = setting();
    second.hangs = new Promise((resolve) => void runtime.setTimer(resolve, 3_000, false));
    const opening = open({ memberTimeout: 400 });
    await runtime.advance(399);
    let isOpen = false;
    void opening.then(() => (isOpen = true));
    await settle();
    expect(isOpen).toBe(false);
    await runtime.advance(1);
    const locks = await opening;
    await locks.withLock('key', () => {});
    await runtime.advance(3_000);
    expect(second.opened).toBe(1);
    const about = { provider: 'combine', member: 'member 2 of 3 (adapter)', index: 1 };
    const error = expect.objectContaining({ message: 'it is being opened' }) as Error;
    expect(messages).toEqual([
      { ...about, state: 'refuses', suspect: true, error },
      { ...about, state: 'answers', suspect: false },
    ]);
  });

  it('does not open when too few answer: it names each of those, and closes the others', async () => {
    const { first, second, third, config } = setting();
    first.down = refused('connect ECONNREFUSED one');
    third.down = refused('connect ECONNREFUSED three');
    const error = await refusal(openLocks(config()));
    expect(error).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message:
        '2 of 3 members did not open, and 2 are needed. member 1 of 3 (adapter): connect ECONNREFUSED one member 3 of 3 (adapter): connect ECONNREFUSED three',
      cause: { errors: [{ cause: first.down }, { cause: third.down }] },
    });
    expect(second).toMatchObject({ opened: 1, closed: 1 });
  });

  it('with "all" does not open without one of them', async () => {
    const { first, second, third, config } = setting();
    second.down = refused();
    const error = await refusal(openLocks(config({ need: 'all' })));
    expect(error.message).toMatch(/^1 of 3 members did not open, and 3 are needed\. member 2 of 3/);
    expect([first.closed, third.closed]).toEqual([1, 1]);
  });

  it('names a member that has not answered yet, and closes it when it opens', async () => {
    const { runtime, first, second, third, config } = setting();
    first.down = refused();
    second.down = refused();
    third.hangs = new Promise((resolve) => void runtime.setTimer(resolve, 3_000, false));
    const opening = refusal(openLocks(config()));
    await runtime.advance(500);
    expect((await opening).message).toContain('member 3 of 3 (adapter): no answer yet.');
    await runtime.advance(3_000);
    expect(third).toMatchObject({ opened: 1, closed: 1 });
  });

  it('fails at once when the configuration of a member is wrong, and closes the others', async () => {
    const { runtime, first, second, third, config } = setting();
    first.hangs = new Promise((resolve) => void runtime.setTimer(resolve, 3_000, false));
    third.down = new LockError('LOCK_MISCONFIGURED', 'Redis refuses the connection: WRONGPASS.');
    const error = await refusal(openLocks(config()));
    expect(error).toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message: 'member 3 of 3 (adapter): Redis refuses the connection: WRONGPASS.',
      cause: third.down,
    });
    expect(second.closed).toBe(1);
    await runtime.advance(3_000);
    expect(first).toMatchObject({ opened: 1, closed: 1 });
  });

  it('takes an adapter that fails to load for a mistake, not for an outage', async () => {
    await standIn({ 'package.json': '{"type":"module"}', 'broken.js': 'throw new Error("broken inside")' });
    const { first, second, config } = setting();
    const members = [{ provider: first }, { provider: second }, { provider: './broken.js' }];
    expect(await refusal(openLocks(config({ members })))).toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message:
        'member 3 of 3 (./broken.js): openLocks: module "./broken.js" threw when it was imported; see the cause.',
    });
    expect([first.opened, second.opened]).toEqual([first.closed, second.closed]);
  });

  it('closes everything when "requires" is not met', async () => {
    const { runtime, first, second, third, config } = setting();
    third.down = refused();
    await expect(openLocks(config({}, { requires: { scope: 'network' } }))).rejects.toThrow('scope: network');
    expect([first.closed, second.closed]).toEqual([1, 1]);
    third.down = undefined;
    await runtime.advance(60_000);
    expect(third.opened).toBe(0);
  });
});

describe('a member that opens later', () => {
  it('is named with its reason when too few others answer', async () => {
    const { second, third, open } = setting();
    third.down = refused('connect ECONNREFUSED 10.0.0.3:6379');
    const locks = await open();
    second.lost = refused('connection reset');
    const told =
      '2 of 3 members gave no usable answer, and 2 are needed. member 2 of 3 (memory): connection reset member 3 of 3 (adapter): It is not open yet: connect ECONNREFUSED 10.0.0.3:6379';
    expect(await refusal(locks.inspect('key'))).toMatchObject({ code: 'LOCK_UNAVAILABLE', message: told });
    expect(await refusal(locks.tryAcquire('key'))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      cause: { message: told },
    });
  });

  it('keeps the contract until it is open, and passes all calls through then', async () => {
    const runtime = new VirtualRuntime();
    const store = createMemoryStore({ runtime });
    const reasons: unknown[] = [];
    const down = refused('connect ECONNREFUSED');
    let answer = (): Promise<LockProvider> => Promise.reject(down);
    const { traits } = createMemoryProvider();
    const open = (): Promise<LockProvider> => answer();
    const member = new LateMember({ name: 'redis', traits, open, runtime });
    member.follow((reason) => reasons.push(reason));
    const claim = { key: 'key', owner: 'me/1', ttl: 1_000, mode: 'exclusive' } as const;
    const calls = [
      () => member.tryAcquire(claim, () => {}),
      () => member.renew(claim),
      () => member.release(claim),
      () => member.inspect('key'),
      () => collect(member.list('')),
    ];
    member.begin(open(), () => undefined);
    await settle();
    for (const call of calls) {
      expect(await refusal(call())).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: 'It is not open yet: connect ECONNREFUSED',
        cause: down,
        sent: false,
      });
    }
    expect(member.outage()).toBe(down);
    answer = () => Promise.reject(new LockError('LOCK_MISCONFIGURED', 'WRONGPASS'));
    await runtime.advance(1_000);
    for (const call of calls) {
      expect(await refusal(call())).toMatchObject({ code: 'LOCK_MISCONFIGURED', sent: false });
    }
    const provider = createMemoryProvider({ store, runtime });
    answer = () => Promise.resolve(provider);
    await runtime.advance(3_000);
    expect(member.outage()).toBeUndefined();
    expect(member.traits).toBe(provider.traits);
    expect(await member.tryAcquire(claim)).toMatchObject({ granted: true });
    expect(await member.renew(claim, 2n ** 52n)).toBeTruthy();
    expect((await member.inspect('key')).holders).toMatchObject([{ owner: 'me/1', token: 2n ** 52n }]);
    expect(await collect(member.list(''))).toEqual(['key']);
    let woken = 0;
    const other = { ...claim, owner: 'me/2' };
    expect(await member.tryAcquire(other, () => (woken += 1))).toMatchObject({ granted: false });
    expect(await member.release(claim)).toBe(true);
    await runtime.advance(1);
    expect(woken).toBe(1);
    expect(reasons).toEqual([down, expect.objectContaining({ message: 'WRONGPASS' }), undefined]);
    await member.close();
    for (const call of calls) expect(await refusal(call())).toMatchObject({ code: 'LOCK_CLOSED' });
  });

  it('that never opened is closed as any other', async () => {
    const runtime = new VirtualRuntime();
    const { traits } = createMemoryProvider();
    const open = (): Promise<LockProvider> => Promise.reject(refused());
    const member = new LateMember({ name: 'redis', traits, open, runtime });
    member.begin(open(), () => undefined);
    await settle();
    await Promise.all([member.close(), member.close()]);
    expect(runtime.pendingTimers).toBe(0);
    expect(await refusal(member.inspect('key'))).toMatchObject({ code: 'LOCK_CLOSED' });
  });

  it('is an outage, and not one for ever, where its server refuses the password by then', async () => {
    const { runtime, third, messages, open } = setting();
    third.down = refused();
    const locks = await open();
    third.down = new LockError('LOCK_MISCONFIGURED', 'WRONGPASS');
    await runtime.advance(3_000);
    expect(messages.map(({ error }) => (error as Error).message)).toEqual(['connect ECONNREFUSED', 'WRONGPASS']);
    await locks.withLock('key', () => {});
    third.down = undefined;
    await runtime.advance(3_000);
    expect(third.opened).toBe(1);
  });

  it.each<[string, Partial<Traits>]>([
    ['scope', { scope: 'network' }],
    ['fencing', { fencing: 'strict' }],
  ])('stays out where the composite would lose in %s', async (name, others) => {
    const { runtime, third, messages, open } = setting(others, others, {});
    third.down = refused();
    const locks = await open({}, { requires: others });
    third.down = undefined;
    await runtime.advance(3_000);
    expect(messages.at(-1)).toMatchObject({
      member: 'member 3 of 3 (adapter)',
      suspect: true,
      error: {
        code: 'LOCK_MISCONFIGURED',
        message: expect.stringMatching(`would lack what it was opened with: ${name}: .* It stays out until`) as string,
      },
    });
    expect(third).toMatchObject({ opened: 1, closed: 1 });
    await runtime.advance(60_000);
    expect(third.opened).toBe(1);
    expect(locks.traits).toMatchObject(others);
    await locks.withLock('key', () => {});
  });

  it('joins where it can more than the others', async () => {
    const { runtime, third, open } = setting({ fair: false }, {}, { fencing: 'strict' });
    third.down = refused();
    const locks = await open();
    third.down = undefined;
    await runtime.advance(3_000);
    expect(third).toMatchObject({ opened: 1, closed: 0 });
    expect(locks.traits).toMatchObject({ fair: false, fencing: 'clock-bounded' });
  });

  it('has the expiry of another member with its adapter until it opens', async () => {
    const { runtime, first, second, config } = setting({ expiry: 'session' });
    let down = true;
    const twin = {
      fromConfig: async (given: AdapterConfig): Promise<LockProvider> => {
        if (down && given.url === 'x://late') throw refused();
        return await first.fromConfig(given);
      },
    };
    const members = [{ provider: twin, url: 'x://late' }, { provider: second }, { provider: twin, url: 'x://early' }];
    const locks = await openLocks(config({ members }));
    onTestFinished(() => locks.close());
    expect(locks.traits.expiry).toBe('session');
    down = false;
    await runtime.advance(3_000);
    expect(first).toMatchObject({ opened: 2, closed: 0 });
  });

  it('is not opened any more after close', async () => {
    const { runtime, first, second, third, open } = setting();
    third.down = refused();
    const locks = await open();
    await runtime.advance(1_000);
    await locks.close();
    third.down = undefined;
    await runtime.advance(60_000);
    expect([first.closed, second.closed, third.opened]).toEqual([1, 1, 0]);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('is closed when it opens after close, which waits a member timeout for it', async () => {
    const { runtime, third, open } = setting();
    third.hangs = new Promise((resolve) => void runtime.setTimer(resolve, 3_000, false));
    const opening = open();
    await runtime.advance(500);
    const locks = await opening;
    let isClosed = false;
    const closing = locks.close().then(() => (isClosed = true));
    await runtime.advance(499);
    expect(isClosed).toBe(false);
    await runtime.advance(1);
    await closing;
    expect(third).toMatchObject({ opened: 0, closed: 0 });
    await runtime.advance(3_000);
    expect(third).toMatchObject({ opened: 1, closed: 1 });
  });
});
