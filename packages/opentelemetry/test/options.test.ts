import { describe, expect, it, onTestFinished } from 'vitest';
import { groupOfKey } from '../src/key-groups.ts';
import { instrumentLocks } from '../src/index.ts';
import { createSetting, twoProcesses } from './support/telemetry.ts';

describe('the group of a key', () => {
  it.each([
    ['report', 'report'],
    ['invoice:4711', 'invoice'],
    ['invoice-4711', 'invoice'],
    ['report_2026.11', 'report'],
    ['s3-sync', 's3-sync'],
    ['seats/12A', 'seats'],
    ['once/mails%3Aeu', 'once/mails'],
    ['once/%C3%BC%2F7', 'once/ü'],
    ['once/mails#MvzrGTuG', 'once/mails'],
    ['once/100%', 'once/100%'],
    ['once#af03', 'once'],
    ['semaphore/take/pool:3', 'semaphore/pool'],
    [':', ''],
  ])('%s: %s', (key, group) => {
    expect(groupOfKey(key)).toBe(group);
  });

  it('of another type is refused, as a warning of the process', async () => {
    createSetting({ groupOf: () => 7 as unknown as string });
    const warned = new Promise<Error>((resolve) => {
      process.once('warning', resolve);
    });
    const { one } = twoProcesses();
    await one.withLock('seat', () => {});
    const { code, detail } = (await warned) as Error & { readonly code: string; readonly detail: string };
    expect([code, detail]).toEqual(['LOCKS_LISTENER', expect.stringContaining('"groupOf" must return a string')]);
  });
});

describe('instrumentLocks', () => {
  const locks = { name: 'redis', inspect: () => Promise.reject(new Error('not asked')) };

  it.each([
    [{ spans: 'yes' }, 'instrumentLocks: option "spans" must be'],
    [{ tracers: {} }, 'instrumentLocks: unknown option "tracers"'],
    [{ meter: {} }, 'option "meter" must be a meter of OpenTelemetry'],
    [{ maxGroups: 0 }, 'option "maxGroups" must be an integer from 1 to 10000, not 0'],
    [{ groups: ['report'] }, 'option "groups" must be an array of groups such as'],
    [
      {
        groups: [
          { provider: 'redis', group: 'a' },
          { provider: 'redis', group: 'b' },
        ],
        maxGroups: 1,
      },
      'names 2 groups',
    ],
    [{ metrics: false, queueLength: { locks, keys: ['a'] } }, '"metrics" is false'],
    [{ queueLength: { keys: ['a'] } }, 'it needs "locks" and "keys"'],
    [{ queueLength: { locks, keys: [] } }, 'option "keys" must be an array of 1 to 100 keys'],
    [{ queueLength: { locks, keys: ['a'], timeout: '0ms' } }, 'option "timeout" must be'],
  ])('refuses %j', (options, message) => {
    expect(() => instrumentLocks(options as object)).toThrow(
      expect.objectContaining({ code: 'LOCK_MISCONFIGURED', message: expect.stringContaining(message) as unknown }),
    );
  });

  it('leaves no listener behind where it refuses', async () => {
    const { channel } = await import('node:diagnostics_channel');
    expect(() => instrumentLocks({ queueLength: { locks, keys: [] } })).toThrow('keys');
    expect(channel('locks:claim').hasSubscribers).toBe(false);
  });

  it('does nothing where no SDK is there', async () => {
    const telemetry = instrumentLocks();
    onTestFinished(telemetry.end);
    const { one } = twoProcesses();
    expect(await one.withLock('seat', (lease) => telemetry.within(lease, () => 'done'))).toBe('done');
  });
});
