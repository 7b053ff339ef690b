import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LeakCounts } from '@locks/conformance';
import { createFolderProvider } from '@locks/example-custom-provider';
import { afterAll } from 'vitest';

const folder = await mkdtemp(join(tmpdir(), 'locks-folder-'));
afterAll(() => rm(folder, { recursive: true }));

/** Holds that last, owner files without a hold, and drafts. A call for a key ends its past hold. */
async function left(): Promise<LeakCounts> {
  const names = await readdir(folder, { recursive: true });
  const states = names.filter((name) => name.includes('/state,')).map((name) => name.split(','));
  const named = new Set(states.map(([, , , , holder]) => holder));
  const time = process.hrtime.bigint() / 1_000n;
  return {
    holds: states.filter(([, , , until = '0']) => BigInt(until) > time).length,
    holders: names.filter((name) => name.includes('/holder-') && !named.has(name.split('/').at(-1))).length,
    drafts: names.filter((name) => /^\w+\./.test(name)).length,
  };
}

conformanceTests({
  name: 'folder',
  create: () => createFolderProvider(folder),
  processes: { module: new URL('support/process.mjs', import.meta.url), args: folder },
  leaks: left,
});
