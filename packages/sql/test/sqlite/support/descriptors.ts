import { readdirSync, readlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

/**
 * How many connections of this process are open on files in `folder`, by the descriptors of their
 * logs. 0 where the system does not tell. Descriptors of the files themselves are kept by SQLite,
 * for its next connection, while another one of the process has a lock.
 */
export async function openDescriptors(folder: string): Promise<number> {
  // libsql lets go of a closed file when the last of its statements is collected. A collection of
  // all takes long, and most statements are young.
  for (const options of [{ type: 'minor' } as const, undefined]) {
    if (countIn(folder) === 0) return 0;
    collect(options);
    await setImmediate();
  }
  return countIn(folder);
}

/** The same, with those that libsql has not let go of. */
export function countIn(folder: string): number {
  try {
    return readdirSync('/proc/self/fd').filter((descriptor) => {
      const path = pathOf(descriptor);
      return path.startsWith(folder) && path.includes('-wal');
    }).length;
  } catch {
    return 0;
  }
}

function pathOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // That of the folder itself, which is closed by now.
    return '';
  }
}
