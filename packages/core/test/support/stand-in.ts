import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

/** A folder with files, where the process stands until the end of the test. */
export async function standIn(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'locks-core-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  // A worker thread cannot change its folder.
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(async () => {
    cwd.mockRestore();
    await rm(folder, { recursive: true });
  });
  return folder;
}
