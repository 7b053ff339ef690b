import { conformanceTests } from '@locks/conformance/vitest';
import { afterAll } from 'vitest';
import type { SqlConfigOptions } from '../../../src/index.ts';
import { openDescriptors } from './descriptors.ts';
import { countLive, createFile, openProvider } from './file.ts';

/** Registers the suite on a file of its own. */
export function suite(name: string, options: SqlConfigOptions): void {
  const file = createFile();
  afterAll(() => file.remove());
  // Places in line that last shorter than by default: several requirements wait for one to lapse.
  const all = { timeout: 2_000, waiterTtl: 3_000, ...options };
  conformanceTests({
    name,
    create: () => openProvider(file, all),
    processes: { module: new URL('process.mjs', import.meta.url), args: { url: file.url, ...all } },
    leaks: async () => ({ ...countLive(file), descriptors: await openDescriptors(file.folder) }),
  });
}
