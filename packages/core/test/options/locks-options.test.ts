import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLocks } from '../../src/index.ts';
import type { LocksOptions, Requires, Traits } from '../../src/index.ts';
import { ScriptedProvider, grantAtOnce } from '../support/scripted-provider.ts';
import { createSetting } from '../support/setting.ts';
import { VirtualRuntime } from '../support/virtual-runtime.ts';
import { misconfigured } from '../support/lock-error.ts';

function create(options: unknown, traits: Partial<Traits> = {}) {
  return () => createLocks(new ScriptedProvider(new VirtualRuntime(), traits), options as LocksOptions);
}

const wrong: readonly [name: string, value: unknown, expected: string][] = [
  ['ttl', 10, 'an integer from 50 to 86400000 (ms), or text such as "30s", not 10.'],
  ['ttl', '10', 'an integer from 50 to 86400000 (ms), or text such as "30s", not "10".'],
  ['ttl', '2 minutes', 'an integer from 50 to 86400000 (ms), or text such as "30s", not "2 minutes".'],
  ['wait', -5, 'a number of ms of at least 0, or Infinity, or text such as "30s", not -5.'],
  ['renew', 'no', 'true or false, not "no".'],
  ['maxHold', 0.5, 'a number of ms of at least 1, or Infinity, or text such as "30s", not 0.5.'],
  ['reentrant', 0, 'true or false, not 0.'],
  ['maxWaiters', 0, 'an integer from 1 to 9007199254740991, not 0.'],
  ['maxWaiters', Infinity, 'an integer from 1 to 9007199254740991, not Infinity.'],
  ['label', '', '1 to 100 printable ASCII characters without spaces or "/", not "".'],
  ['label', 'a/b', '1 to 100 printable ASCII characters without spaces or "/", not "a/b".'],
  ['label', 'a b', '1 to 100 printable ASCII characters without spaces or "/", not "a b".'],
  ['label', 'é', '1 to 100 printable ASCII characters without spaces or "/", not "é".'],
  ['label', 'x\n', '1 to 100 printable ASCII characters without spaces or "/", not "x\\n".'],
  ['label', 7, '1 to 100 printable ASCII characters without spaces or "/", not 7.'],
  ['closeTimeout', -1, 'a number of ms of at least 0, or Infinity, or text such as "30s", not -1.'],
  ['requires', 'fair', 'an object of traits, not "fair".'],
  ['runtime', {}, 'a Runtime, not a value of type object.'],
];

describe('a wrong option of a Locks', () => {
  it.each(wrong)('is refused with its name, its value and what it must be: %s: %s', (name, value, expected) => {
    expect(create({ [name]: value })).toThrow(
      expect.objectContaining(misconfigured(`option "${name}" must be ${expected}`)),
    );
  });

  it.each(['mode', 'permits', 'signal', 'retryDelay', 'constructor', 'toString'])(
    'is also a name that it does not have: %s',
    (name) => {
      expect(create({ [name]: 'shared' })).toThrow(expect.objectContaining(misconfigured(`unknown option "${name}"`)));
    },
  );

  it('is answered with a near name', () => {
    expect(create({ maxWaiter: 5 })).toThrow('Did you mean "maxWaiters"?');
  });

  it.each([null, 'ttl', 5])('is refused when it is not in an object: %s', (options) => {
    const message = 'The options of the client must be an object, such as { ttl: 30_000 }.';
    expect(create(options)).toThrow(expect.objectContaining({ code: 'LOCK_MISCONFIGURED', message }));
  });

  it.each([null, 'fair', true])('is also what requires nothing that can be read: %s', (requires) => {
    const message = expect.stringContaining('Locks options: option "requires" must be an object of traits, not ');
    expect(create({ requires })).toThrow(expect.objectContaining({ code: 'LOCK_MISCONFIGURED', message }));
  });

  it.each([null, 5, {}, { setTimer() {}, clearTimer() {}, random() {}, uniqueId() {} }])(
    'is also half a runtime: %s',
    (runtime) => {
      expect(create({ runtime })).toThrow('option "runtime" must be a Runtime, not ');
    },
  );

  it('may be undefined', () => {
    const options = {
      ttl: undefined,
      wait: undefined,
      maxWaiters: undefined,
      label: undefined,
      requires: undefined,
      runtime: undefined,
    };
    expect(create(options)).not.toThrow();
  });
});

describe('a duration of a Locks', () => {
  it('is a number of ms, or text', async () => {
    const { provider, locks, runtime } = createSetting({
      ttl: '20s',
      wait: '1.5s',
      maxHold: '1h',
      closeTimeout: '250ms',
    });
    provider.answers.tryAcquire = grantAtOnce;
    await locks.acquire('key');
    expect(provider.attempts[0]?.claim.ttl).toBe(20_000);
    provider.answers.tryAcquire = (call) => call.answer({ granted: false, retryAfter: 60_000 });
    const waiting = locks.acquire('other');
    waiting.catch(() => {});
    await runtime.advance(1_500);
    await expect(waiting).rejects.toThrow('was not free within 1500 ms');
  });
});

describe('requires', () => {
  const weak: Traits = { scope: 'process', expiry: 'ttl', fencing: 'none', fair: false, shared: false, wake: false };
  const unmet: readonly [demand: Requires, has: string][] = [
    [{ scope: 'network' }, 'scope: network (it has process)'],
    [{ scope: 'host' }, 'scope: host (it has process)'],
    [{ expiry: 'session' }, 'expiry: session (it has ttl)'],
    [{ fencing: 'clock-bounded' }, 'fencing: clock-bounded (it has none)'],
    [{ fencing: 'strict' }, 'fencing: strict (it has none)'],
    [{ fair: true }, 'fair: true (it has false)'],
    [{ shared: true }, 'shared: true (it has false)'],
    [{ wake: true }, 'wake: true (it has false)'],
  ];

  it.each(unmet)('fails at start-up naming what is lacking: %o', (demand, has) => {
    expect(create({ requires: demand }, weak)).toThrow(expect.objectContaining(misconfigured(has)));
    expect(create({ requires: demand }, weak)).toThrow('scripted');
  });

  it('names all that is lacking, and only that', () => {
    expect(create({ requires: { fair: true, shared: true, wake: false } }, weak)).toThrow(
      /"requires": fair: true \(it has false\), shared: true \(it has false\)\./,
    );
  });

  it.each<Requires>([
    {},
    { scope: 'process', fencing: 'none' },
    { scope: 'host', fencing: 'clock-bounded', expiry: 'ttl', fair: true, shared: true, wake: true },
    { scope: 'network', fencing: 'strict' },
    { fair: false, shared: false, wake: false },
    { fair: undefined },
  ])('is content with more than it demands: %o', (demand) => {
    expect(create({ requires: demand })).not.toThrow();
  });

  it.each([
    [{ fencing: 'clock-bounded' }, { fencing: 'strict' }],
    [{ scope: 'host' }, { scope: 'network' }],
  ] as const)('is not content with less: %o of %o', (has, demand) => {
    expect(create({ requires: demand }, has)).toThrow(expect.objectContaining({ code: 'LOCK_MISCONFIGURED' }));
  });

  it('refuses demands that do not exist', () => {
    const message = expect.stringContaining('Option "requires": unknown option "durable"');
    expect(create({ requires: { durable: true } })).toThrow(
      expect.objectContaining({ code: 'LOCK_MISCONFIGURED', message }),
    );
    expect(create({ requires: { fencing: 'weak' } })).toThrow(
      'option "fencing" must be "none" or "clock-bounded" or "strict", not "weak".',
    );
  });
});

describe('owners', () => {
  it('are unique, and start with the label', async () => {
    const { locks } = createSetting({ label: 'billing', answers: { tryAcquire: grantAtOnce } });
    const leases = await Promise.all(Array.from({ length: 100 }, (_, index) => locks.acquire(`key ${index}`)));
    expect(new Set(leases.map((lease) => lease.owner)).size).toBe(100);
    expect(leases.every((lease) => /^billing\/[!-.0-~]+$/.test(lease.owner))).toBe(true);
  });

  it('of two Locks with one label differ', async () => {
    const runtime = new VirtualRuntime();
    const provider = new ScriptedProvider(runtime);
    provider.answers.tryAcquire = grantAtOnce;
    const [first, second] = [1, 2].map(() => createLocks(provider, { label: 'same', runtime }));
    expect((await first?.acquire('a'))?.owner).not.toBe((await second?.acquire('b'))?.owner);
  });

  it('are counted up, in few characters', async () => {
    const { locks } = createSetting({ label: 'billing', answers: { tryAcquire: grantAtOnce } });
    const numbers: (string | undefined)[] = [];
    for (let index = 0; index < 40; index += 1) numbers.push((await locks.acquire(`${index}`)).owner.split('.').at(-1));
    expect(numbers.slice(0, 2)).toEqual(['0', '1']);
    expect(numbers.slice(35, 37)).toEqual(['z', '10']);
  });

  it.each([
    ['plain.example', 'plain.example'],
    ["Zoë's desk/2", "Zo-'s-desk-2"],
    ['x'.repeat(200), 'x'.repeat(80)],
  ])('start with what can be shown of the host name: %s', async (name, shown) => {
    const hostname = vi.spyOn(os, 'hostname').mockReturnValue(name);
    syncBuiltinESMExports();
    onTestFinished(() => {
      hostname.mockRestore();
      syncBuiltinESMExports();
    });
    const { locks } = createSetting({ answers: { tryAcquire: grantAtOnce } });
    expect((await locks.acquire('key')).owner.split('/')[0]).toBe(`${shown}:${process.pid}`);
  });
});

describe('a Locks', () => {
  it('tells the name and traits of its provider', () => {
    const { provider, locks } = createSetting();
    expect(locks.name).toBe('scripted');
    expect(locks.traits).toBe(provider.traits);
  });
});
