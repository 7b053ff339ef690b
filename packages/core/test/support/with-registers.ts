import type { LockProvider } from '../../src/index.ts';

type Register = NonNullable<LockProvider['register']>;

/**
 * Gives `provider` registers, which a migration needs. `texts`: what processes of one store share.
 * `pass`: what happens to each call.
 */
export function withRegisters(
  provider: LockProvider,
  texts: Map<string, string> = new Map(),
  pass: <T>(call: () => Promise<T>) => Promise<T> = (call) => call(),
): LockProvider {
  const register: Register = (name, change) =>
    pass(async () => {
      if (change !== undefined && texts.get(name) === change.from) {
        if (change.to === undefined) texts.delete(name);
        else texts.set(name, change.to);
      }
      return texts.get(name);
    });
  return Object.assign(provider, { register });
}
