import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider } from '../src/index.ts';
import type { Lease } from '../src/index.ts';
import { createFreeSetting } from './support/setting.ts';

const members = [
  'key',
  'owner',
  'mode',
  'token',
  'signal',
  'remaining',
  'held',
  'renew',
  'downgrade',
  'transfer',
  'release',
  'toJSON',
];

/** A lease of `acquire`, and the hold of a `withLock` inside another. */
async function bothKinds(look: (lease: Lease, locks: object) => void): Promise<void> {
  const { locks } = createFreeSetting({ ttl: 1_000, reentrant: true, label: 'host' });
  look(await locks.acquire('acquired'), locks);
  await locks.withLock('nested', () => locks.withLock('nested', (hold) => look(hold, locks)));
}

describe('a lease', () => {
  it('has the members of Lease, and no others', async () => {
    await bothKinds((lease) => {
      expect(Reflect.ownKeys(lease)).toEqual(['key', 'token']);
      const prototypes: object[] = [];
      let prototype = Object.getPrototypeOf(lease) as object;
      for (; prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype) as object) {
        prototypes.push(prototype);
      }
      const expected = [
        'constructor',
        ...members.filter((name) => !Object.hasOwn(lease, name)),
        Symbol.asyncDispose,
        inspect.custom,
      ];
      expect(new Set(prototypes.flatMap((each) => Reflect.ownKeys(each)))).toEqual(new Set(expected));
    });
  });

  it('is plain data in JSON', async () => {
    await bothKinds((lease) => {
      const json = JSON.stringify({ lease });
      expect(JSON.parse(json)).toEqual({
        lease: {
          key: lease.key,
          owner: lease.owner,
          mode: 'exclusive',
          token: `${lease.token}`,
          held: true,
          remaining: 988,
        },
      });
    });
  });

  it('is one short object for console.log', async () => {
    await bothKinds((lease) => {
      expect(inspect(lease, { breakLength: Infinity })).toBe(
        `Lease { key: '${lease.key}', owner: '${lease.owner}', mode: 'exclusive', ` +
          `token: '${lease.token}', held: true, remaining: 988 }`,
      );
      expect(inspect([[[lease]]], { depth: 1 })).toContain('[Array]');
      expect(inspect({ lease }, { depth: 0 })).toBe('{ lease: [Lease] }');
    });
  });

  it('shows nothing of other leases and of the provider, whatever is asked for', async () => {
    const locks = createLocks(createMemoryProvider());
    const one = await locks.acquire('one');
    await locks.acquire('two');
    const shown = inspect(one, { showHidden: true, depth: null });
    expect(shown).not.toMatch(/two|timer|provider/i);
    await locks.close();
  });
});

describe('Locks and the memory provider', () => {
  it('show their name and their traits', async () => {
    const provider = createMemoryProvider();
    const { name, traits } = provider;
    const locks = createLocks(provider);
    await locks.acquire('key');
    for (const shown of [locks, provider]) {
      const json = JSON.stringify(shown);
      expect(JSON.parse(json)).toEqual({ name, traits });
      const text = inspect(shown, { depth: null });
      expect(text.replaceAll(/\s+/g, ' ')).toMatch(
        /^(Locks|MemoryProvider) \{ name: 'memory', traits: \{ scope: 'process', [^{}]* \} \}$/,
      );
    }
    await locks.close();
  });
});
