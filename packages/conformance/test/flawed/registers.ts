import { setImmediate as turn } from 'node:timers/promises';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider, RegisterChange } from '@locks/core';
import type { Flaw } from './flaw.ts';
import { bound } from '../bound.ts';

type Register = NonNullable<LockProvider['register']>;

/** Memory providers. `flaw` makes what is wrong of one of them. `server` is never closed. */
function keeping(
  flaw: (sound: Register, inner: LockProvider, server: LockProvider) => Partial<LockProvider>,
): Flaw['make'] {
  return () => {
    const store = createMemoryStore();
    const server = createMemoryProvider({ store });
    return () => {
      const inner = createMemoryProvider({ store });
      const sound: Register = async (name, change) => await inner.register?.(name, change);
      return {
        ...bound(inner),
        register: sound,
        ...flaw(sound, inner, server),
      };
    };
  };
}

/** Of short texts that the store keeps. */
export const registers: readonly Flaw[] = [
  {
    name: 'a register is read, compared and then set',
    caughtBy: ['register-one-wins'],
    make: keeping((sound) => ({
      async register(name, change) {
        const text = await sound(name);
        if (change === undefined || text !== change.from) return text;
        await turn();
        return await set(sound, name, change.to);
      },
    })),
  },
  {
    name: 'a change of a register that was found made is refused',
    caughtBy: ['register-compare-and-set'],
    make: keeping((sound) => ({
      async register(name, change) {
        const before = await sound(name);
        return change === undefined || before === change.from ? await sound(name, change) : undefined;
      },
    })),
    mayAlsoFail: ['register-*'],
  },
  {
    name: 'an empty register has an empty text',
    caughtBy: ['register-compare-and-set'],
    make: keeping((sound) => ({ register: async (name, change) => (await sound(name, change)) ?? '' })),
    mayAlsoFail: ['register-*'],
  },
  {
    name: 'reads of a register come from a cache of 5 ms',
    caughtBy: ['register-compare-and-set'],
    make: keeping((sound) => {
      const cache = new Map<string, { readonly text: string | undefined; readonly until: number }>();
      return {
        async register(name, change) {
          const cached = cache.get(name);
          if (change === undefined && cached !== undefined && performance.now() < cached.until) return cached.text;
          const text = await sound(name, change);
          cache.set(name, { text, until: performance.now() + 5 });
          return text;
        },
      };
    }),
    mayAlsoFail: ['close-refuses', 'register-*'],
  },
  {
    name: 'a register expires',
    caughtBy: ['register-outlives-its-provider'],
    make: keeping((sound, _inner, server) => ({
      async register(name, change) {
        const { to } = change ?? {};
        if (to !== undefined) setTimeout(() => void server.register?.(name, { from: to, to: undefined }), 150).unref();
        return await sound(name, change);
      },
    })),
  },
  {
    name: 'the registers of a provider go when it is closed',
    caughtBy: ['register-outlives-its-provider'],
    make: keeping((sound, inner) => {
      const written = new Set<string>();
      return {
        async register(name, change) {
          if (change !== undefined) written.add(name);
          return await sound(name, change);
        },
        async close() {
          for (const name of written) await set(sound, name, undefined);
          written.clear();
          await inner.close();
        },
      };
    }),
  },
  {
    name: 'names of registers are compared without regard to case',
    caughtBy: ['register-names'],
    make: keeping((sound) => ({ register: (name, change) => sound(name.toLowerCase(), change) })),
  },
  {
    name: 'names of registers are cut off',
    caughtBy: ['register-names'],
    make: keeping((sound) => ({ register: (name, change) => sound(name.slice(0, 100), change) })),
  },
  {
    name: 'texts of registers are cut off',
    caughtBy: ['register-names'],
    make: keeping((sound) => ({
      register: (name, change) => sound(name, change && { from: change.from, to: change.to?.slice(0, 128) }),
    })),
    mayAlsoFail: ['register-longest', 'locks-once*', 'locks-job-*'],
  },
  {
    name: 'texts of registers end at 205 characters',
    caughtBy: ['register-longest'],
    make: keeping((sound) => ({
      register: (name, change) => sound(name, change && { from: change.from, to: change.to?.slice(0, 205) }),
    })),
  },
  {
    name: 'list shows registers',
    caughtBy: ['register-apart-from-keys'],
    make: keeping((sound, inner) => {
      const written = new Set<string>();
      return {
        register(name, change) {
          written.add(name);
          return sound(name, change);
        },
        async *list(prefix) {
          yield* [...written].filter((name) => name.startsWith(prefix));
          yield* inner.list?.(prefix) ?? [];
        },
      };
    }),
  },
];

/** Makes `to` the text, whatever it was. */
async function set(register: Register, name: string, to: RegisterChange['to']): Promise<string | undefined> {
  let from = await register(name);
  while (from !== to) from = await register(name, { from, to });
  return to;
}
