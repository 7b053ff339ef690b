import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServerHandle } from '@locks/test-servers';
import type { FaultOf } from './listed.ts';
import { copyTo, emptied, inTemporaryFolder, type Processes, together } from './processes.ts';

const run = promisify(execFile);

/** A server whose data folder is a separate disk. */
export interface SmallDisk extends Processes {
  readonly folder: string;
}

/** Only root may mount. */
export const mayMount = (): boolean => process.platform === 'linux' && process.getuid?.() === 0;

/** Gives `server` a disk of `megabytes` for its data. */
export async function smallDisk(server: ServerHandle, megabytes: number): Promise<SmallDisk> {
  if (!mayMount()) throw new Error('A disk of its own takes root on Linux: leave this target out.');
  let folder = '';
  await server.restart({
    meanwhile: (data) =>
      inTemporaryFolder(async (copy) => {
        folder = data;
        const { stdout } = await run('stat', ['-c', 'uid=%u,gid=%g,mode=%a', data]);
        await copyTo(data, copy);
        await emptied(data);
        await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,${stdout.trim()}`, 'tmpfs', data]);
        await copyTo(copy, data);
      }),
  });
  return {
    ...together([server]),
    folder,
    async stop() {
      await server.kill();
      await run('umount', [folder]);
      await server.stop();
    },
  };
}

/** The disk is full. The server may end because of it, and starts when there is space again. */
export const diskFull: FaultOf<SmallDisk> = {
  async begin({ folder, handles: [server] }) {
    const filler = join(folder, 'filler');
    const file = await open(filler, 'w');
    try {
      for (let size = 1 << 20; size >= 1; size >>= 1) await fillBy(file, size);
    } finally {
      await file.close();
    }
    return async () => {
      await rm(filler, { force: true });
      if (server?.pid === undefined) await server?.restart();
    };
  },
};

/** Writes pieces of `size` bytes until there is no space for one. */
async function fillBy(file: Awaited<ReturnType<typeof open>>, size: number): Promise<void> {
  try {
    for (;;) await file.appendFile(Buffer.alloc(size));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
