import { requirements, runConformance } from '@locks/conformance';
import type { ConformanceOptions, ConformanceReport } from '@locks/conformance';
import { create } from '../fixtures/remote-provider.js';
import type { RemoteStore } from '../fixtures/remote-server.ts';

/** The requirements that need several processes. */
export const acrossProcesses: readonly string[] = requirements
  .filter(({ needs }) => needs?.includes('processes'))
  .map(({ id }) => id);

/** Checks a provider whose store is another process. */
export function remote({ path }: RemoteStore): ConformanceOptions {
  const module = new URL('../fixtures/remote-provider.js', import.meta.url);
  return { name: 'remote', create: () => create({ path }), processes: { module, args: { path } }, ttl: 200 };
}

/** Runs the suite, and closes `store`. */
export async function against(store: RemoteStore, options: ConformanceOptions): Promise<ConformanceReport> {
  try {
    return await runConformance(options);
  } finally {
    await store.close();
  }
}
