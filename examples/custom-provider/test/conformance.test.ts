import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LeakCounts } from '@locks/conformance';
import { createFolderProvider } from '@locks/example-custom-provider';
import { afterAll } from 'vitest';

const folder = await mkdtemp(join(tmpdir(), 'locks-folder-'));
afterAll(() => rm(folder, { recursive: true }));

/** What a key may leave: the file whose name has its token counter, and nothing else. */
async function left(): Promise<LeakCounts> {
  const names = await readdir(folder, { recursive: true });
  const [drafts, holders] = ['.', 'holder-'].map((part) => names.filter((name) => name.includes(part)).length);
  return { drafts: drafts ?? 0, holders: holders ?? 0 };
}

conformanceTests({
  name: 'folder',
  create: () => createFolderProvider(folder),
  processes: { module: new URL('support/process.mjs', import.meta.url), args: folder },
  leaks: left,
});
