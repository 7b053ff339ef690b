import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What becomes of a folder, and where it is told. */
export interface FolderOptions {
  readonly keep: boolean;
  print(text: string): void;
}

/**
 * Gives `work` a folder for its files. Removes it unless `work` gives false, or the logs are to be
 * kept.
 */
export async function inFolder(
  name: string,
  { keep, print }: FolderOptions,
  work: (folder: string) => Promise<boolean>,
): Promise<boolean> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `locks-stress-${name}-`)));
  let passed = false;
  try {
    passed = await work(folder);
  } finally {
    if (passed && !keep) rmSync(folder, { recursive: true, force: true });
    else print(`  logs        ${join(folder, 'logs')}, timeline.html beside them where the run failed`);
  }
  return passed;
}
