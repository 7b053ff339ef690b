import { onTestFinished } from 'vitest';
import { createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import type { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { pause } from '../../../core/src/time/pause.ts';
import type { Claim, LockProvider, Runtime } from '../../../core/src/index.ts';
import type { CombineOptions } from '../../src/index.ts';
import { through } from '../../../core/test/support/through.ts';

export const stores = (count: number) => Array.from({ length: count }, () => createMemoryStore());

export function threeMembers(): [LockProvider, LockProvider, LockProvider] {
  return [createMemoryProvider(), createMemoryProvider(), createMemoryProvider()];
}

/** Three members in the virtual time of `runtime`. */
export function threeMembersIn(runtime: VirtualRuntime): [LockProvider, LockProvider, LockProvider] {
  const make = (): LockProvider => createMemoryProvider({ store: createMemoryStore({ runtime }) });
  return [make(), make(), make()];
}

/** What `call` came to, and how many ms of virtual time it took. */
export async function timed<T>(runtime: VirtualRuntime, call: () => Promise<T>): Promise<{ answer: T; took: number }> {
  const start = runtime.time;
  const watched = watch(call(), runtime);
  for (let step = 0; step < 10_000 && watched.state === 'open'; step += 1) await runtime.advance(1);
  if (watched.state !== 'fulfilled') throw watched.error;
  return { answer: watched.value as T, took: (watched.at ?? Infinity) - start };
}

export function claimOf(owner: string, more: Partial<Claim> = {}): Claim {
  return { key: 'job', owner, ttl: 10_000, mode: 'exclusive', ...more };
}

/** Composites of the same stores, which end with the test. */
export function together(count: number, options: CombineOptions = {}): () => LockProvider {
  const shared = stores(count);
  return () => {
    const provider = combine(
      shared.map((store) => createMemoryProvider({ store })),
      options,
    );
    onTestFinished(() => provider.close());
    return provider;
  };
}

/** From now on these calls of `member` arrive `before` ms later, and their answers `after` ms. */
export function delay(
  runtime: Pick<Runtime, 'setTimer' | 'clearTimer'>,
  member: LockProvider,
  name: 'inspect' | 'release' | 'renew' | 'tryAcquire',
  { before = 0, after = 0 },
): void {
  const call = member[name].bind(member) as (...given: readonly unknown[]) => Promise<unknown>;
  const delayed = async (...given: readonly unknown[]): Promise<unknown> => {
    if (before > 0) await pause(runtime, before);
    const answer = await call(...given);
    if (after > 0) await pause(runtime, after);
    return answer;
  };
  Object.assign(member, { [name]: delayed });
}

/** `provider`, whose calls all reject. */
export function dead(provider: LockProvider, error: Error): LockProvider {
  return through(provider, async () => {
    throw error;
  });
}
