import type { AdapterConfig, Locks } from '../../src/index.ts';
import { ScriptedProvider, freeAtOnce, grantAtOnce } from './scripted-provider.ts';
import { VirtualRuntime } from './virtual-runtime.ts';

/** An adapter in code that keeps what it was given. */
export function scriptedAdapter() {
  const runtime = new VirtualRuntime();
  const provider = new ScriptedProvider(runtime);
  Object.assign(provider.answers, { tryAcquire: grantAtOnce, release: freeAtOnce });
  const configs: AdapterConfig[] = [];
  const module = {
    fromConfig(config: AdapterConfig) {
      configs.push(config);
      return provider;
    },
  };
  /** The ttl that claims get. */
  const ttl = async (locks: Locks): Promise<number | undefined> => {
    await (await locks.acquire('key')).release();
    return provider.attempts[0]?.claim.ttl;
  };
  return { runtime, provider, configs, module, ttl };
}
