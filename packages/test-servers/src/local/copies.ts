import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runToEnd } from './run-tool.ts';

/** A data folder to fill. */
export interface Unfilled {
  /** Of the server. Removed if this process dies meanwhile. */
  readonly folder: string;
  readonly dataFolder: string;
  /** Servers of one kind are filled alike. */
  readonly kind: string;
  fill(): Promise<void>;
}

/**
 * Fills a data folder: with a copy from another server of its kind in the folder
 * `LOCKS_TEST_COPIES`, else by `fill`, whose result is then copied there.
 */
export async function fillOrCopy({ folder, dataFolder, kind, fill }: Unfilled): Promise<void> {
  const copies = process.env['LOCKS_TEST_COPIES'];
  if (copies === undefined) return await fill();
  // With owners and permissions, which Node's own copy omits.
  const copy = (from: string, to: string): Promise<void> =>
    runToEnd({ program: '/bin/cp', args: ['-pR', `${from}/.`, to], folder });
  const kept = join(copies, encodeURIComponent(kind));
  if (existsSync(kept)) return await copy(kept, dataFolder);
  await fill();
  const own = `${kept}.${process.pid}.${performance.now()}`;
  await copy(dataFolder, own);
  // Another server may have been faster.
  await rename(own, kept).catch(() => rm(own, { recursive: true, force: true }));
}
