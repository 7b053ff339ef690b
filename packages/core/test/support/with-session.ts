import type { LockProvider } from '../../src/index.ts';

/** `inner`, whose grants of `key` depend on the session that `session` gives. */
export function withSession(inner: LockProvider, key: string, session: () => AbortSignal): LockProvider {
  return {
    name: inner.name,
    traits: inner.traits,
    async tryAcquire(claim, wake) {
      const answer = await inner.tryAcquire(claim, wake);
      return answer.granted && claim.key === key ? { ...answer, lost: session() } : answer;
    },
    renew: (claim, token) => inner.renew(claim, token),
    release: (claim) => inner.release(claim),
    inspect: (name) => inner.inspect(name),
    register: async (name, change) => await inner.register?.(name, change),
    close: () => inner.close(),
  };
}
