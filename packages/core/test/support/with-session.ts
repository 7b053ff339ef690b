import type { LockProvider } from '../../src/index.ts';
import { through } from './through.ts';

/** `inner`, whose grants of `key` depend on the session that `session` gives. */
export function withSession(inner: LockProvider, key: string, session: () => AbortSignal): LockProvider {
  return {
    ...through(inner, (call) => call()),
    async tryAcquire(claim, wake) {
      const answer = await inner.tryAcquire(claim, wake);
      return answer.granted && claim.key === key ? { ...answer, lost: session() } : answer;
    },
    register: async (name, change) => await inner.register?.(name, change),
  };
}
