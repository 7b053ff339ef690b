import { createRedisProvider } from '../../../src/index.ts';
import type { RedisOptions } from '../../../src/index.ts';
import type { LockProvider } from '@locks/core';
import type { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { connect, ownPrefix, withCopies } from '../../support/redis.ts';
import type { Setting } from './checks.ts';
import { flawed, scriptNames } from '../../support/flaws.ts';
import type { Flaw } from '../../support/flaws.ts';

/** A setting that tells what its waiting process sends. */
export interface Watched extends Setting {
  /** The scripts that the waiting process called, by name. */
  readonly calls: string[];
}

/** What differs from the usual setting. `flaw`: of a script. `options`: of the waiting provider. */
interface Different {
  readonly create?: (url: string) => Redis;
  readonly flaw?: Flaw;
  readonly options?: RedisOptions;
  readonly waiterTtl?: number;
}

export function createSetting(
  url: string,
  { create = (at) => connect({}, at), flaw, options = {}, waiterTtl = 2_000 }: Different = {},
): Watched {
  const prefix = ownPrefix();
  const calls: string[] = [];
  const killed = new Map<LockProvider, () => void>();
  const provide = (heard: string[], own: RedisOptions = {}): LockProvider => {
    const client = create(url);
    const copies: { disconnect(): void }[] = [client];
    const watched = withCopies(client, (override) => {
      const copy = client.duplicate(override);
      copies.push(copy);
      return copy;
    });
    watched.evalsha = (sha, ...input) => {
      heard.push(scriptNames.get(sha) ?? sha);
      return scriptNames.get(sha) === flaw?.script && flaw !== undefined
        ? client.eval(flawed(flaw), ...input)
        : client.evalsha(sha, ...input);
    };
    const provider = createRedisProvider(watched, { prefix, waiterTtl, ...own });
    killed.set(provider, () => copies.forEach((copy) => copy.disconnect()));
    onTestFinished(async () => {
      await provider.close();
      killed.get(provider)?.();
    });
    return provider;
  };
  const [waiting, holding] = [provide(calls, options), provide([])];
  const kill = (provider: LockProvider): void => killed.get(provider)?.();
  return { waiting, holding, waiterTtl, prefix, calls, kill, client: connect({}, url) };
}
