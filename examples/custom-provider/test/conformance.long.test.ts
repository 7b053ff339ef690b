import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conformanceTests } from '@locks/conformance/vitest';
import { createFolderProvider } from '@locks/example-custom-provider';
import { afterAll } from 'vitest';

const folder = await mkdtemp(join(tmpdir(), 'locks-folder-'));
afterAll(() => rm(folder, { recursive: true }));

conformanceTests({
  name: 'folder',
  create: () => createFolderProvider(folder),
  createOther: () => createFolderProvider(folder, { waiterTtl: 900 }),
  processes: { module: new URL('support/process.mjs', import.meta.url), args: folder },
  leaks: async () => ({ drafts: await drafts() }),
});

/** Directories of keys that were to appear, and did not. */
async function drafts(): Promise<number> {
  const [root = ''] = await readdir(folder);
  return (await readdir(join(folder, root))).filter((name) => name.includes(' ')).length;
}
