import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  askOption,
  orFunction,
  readOptions,
  secretOf,
  secretText,
  tlsAnswer,
  tlsOptions,
} from '../../src/adapter/index.ts';
import { VirtualRuntime } from '../support/virtual-runtime.ts';

const secret = 'hunter2';

function createSetting() {
  const runtime = new VirtualRuntime();
  const asking = { where: '@locks/x', name: 'password', reader: secretText, runtime, within: 1_000 };
  return { runtime, asking };
}

describe('an option that may be a function', () => {
  const readers = { password: secretOf, tls: orFunction(tlsOptions) };
  const source = { where: '@locks/x', code: 'LOCK_MISCONFIGURED', text: true } as const;

  it('is accepted as itself, and as a function', () => {
    const give = (): string => secret;
    const tls = (): object => ({});
    expect(readOptions(readers, { password: secret, tls: 'true' }, source)).toEqual({ password: secret, tls: true });
    expect(readOptions(readers, { password: give, tls }, source)).toEqual({ password: give, tls });
  });

  it('is refused as anything else, without being shown', () => {
    for (const [password, shown] of [
      [{ secret }, 'an object'],
      [4711, 'a number'],
      [null, 'null'],
    ] as const) {
      const message = `@locks/x: option "password" must be a string, or a function that returns it, not ${shown}.`;
      expect(() => readOptions(readers, { password: password as never }, source)).toThrow(message);
    }
  });
});

describe('a function that is asked', () => {
  it('answers at once or later, and each time anew', async () => {
    const { runtime, asking } = createSetting();
    let asked = 0;
    const next = async (): Promise<string> => `${secret}-${(asked += 1)}`;
    expect(await askOption(secret, asking)).toBe(secret);
    expect(await askOption(() => secret, asking)).toBe(secret);
    expect(await askOption(next, asking)).toBe(`${secret}-1`);
    expect(await askOption(next, asking)).toBe(`${secret}-2`);
    await runtime.advance(5_000);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('runs outside of the context of the caller', async () => {
    const { asking } = createSetting();
    const flow = new AsyncLocalStorage<string>();
    const give = async (): Promise<string> => flow.getStore() ?? 'outside';
    expect(await flow.run('a waiter', () => askOption(give, asking))).toBe('outside');
  });

  it('that fails is LOCK_UNAVAILABLE, with its error as the cause', async () => {
    const { asking } = createSetting();
    const cause = new Error('the vault is sealed');
    const failed = { code: 'LOCK_UNAVAILABLE', message: expect.stringContaining('"password" failed') as string, cause };
    await expect(askOption(() => Promise.reject(cause), asking)).rejects.toMatchObject(failed);
    await expect(
      askOption(() => {
        throw cause;
      }, asking),
    ).rejects.toMatchObject(failed);
  });

  it('that is silent is LOCK_UNAVAILABLE after its time', async () => {
    const { runtime, asking } = createSetting();
    const silent = askOption(() => new Promise<string>(() => {}), asking).catch((error: unknown) => error);
    await runtime.advance(1_100);
    expect(await silent).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: '@locks/x: the function of option "password" did not answer a new connection within 1000 ms.',
    });
    expect(runtime.pendingTimers).toBe(0);
  });

  it('that gives something else is LOCK_MISCONFIGURED, without what it gave', async () => {
    const { asking } = createSetting();
    for (const [answer, shown] of [
      [{ secret }, 'an object'],
      [Buffer.from(secret), 'an object'],
      [undefined, 'undefined'],
      [null, 'null'],
    ] as const) {
      const error: unknown = await askOption(() => answer as never, asking).catch((reason: unknown) => reason);
      const message = `@locks/x: the function of option "password" must return a string, and returned ${shown}.`;
      expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED', message });
      expect(inspect(error, { depth: 10 })).not.toContain(secret);
    }
    const text = askOption(() => secret as never, { ...asking, name: 'tls', reader: tlsAnswer as never });
    await expect(text).rejects.toThrow(/option "tls" must return true or an object of TLS options.*\(not shown\)/);
  });
});
