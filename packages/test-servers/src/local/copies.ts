import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Fills `dataFolder`, as `fill` does: with a copy, where another server of this `kind` left one in
 * the folder that `LOCKS_TEST_COPIES` names, else by `fill`, whose work is then copied there.
 */
export async function filled(kind: string, dataFolder: string, fill: () => Promise<void>): Promise<void> {
  const copies = process.env['LOCKS_TEST_COPIES'];
  if (copies === undefined) return await fill();
  const kept = join(copies, encodeURIComponent(kind));
  if (existsSync(kept)) return await copy(kept, dataFolder);
  await fill();
  const own = `${kept}.${process.pid}.${performance.now()}`;
  await copy(dataFolder, own);
  // Another server may have been faster.
  await rename(own, kept).catch(() => rm(own, { recursive: true, force: true }));
}

/** With owners and rights, which Node's own copy leaves out. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-pR', `${from}/.`, to]);
}
