import { readdirSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from '../local/install.ts';
import type { ServerAddress } from '../server/address.ts';

/** Wall clocks of local servers, each of which can be adjusted while its server runs. */
export interface WallClocks extends AsyncDisposable {
  /** The environment for the process of the server at `port`. */
  environmentOf(port: number): Readonly<Record<string, string>>;
  /**
   * Sets the clock of `server` to an offset of `off` ms from that of this machine. Monotonic clocks
   * are unaffected.
   */
  put(server: Pick<ServerAddress, 'port'>, off: number): Promise<void>;
}

/** Clocks that are right until adjusted. They must outlive their servers. */
export async function wallClocks(): Promise<WallClocks> {
  const library = await faketimeLibrary();
  const folder = await mkdtemp(join(tmpdir(), 'locks-test-clocks-'));
  const fileOf = (port: number): string => join(folder, `${port}`);
  return {
    environmentOf: (port) => ({
      // The library reads the clock while it starts. An allocator that also does, such as Redis's,
      // would recurse endlessly, so libc's precedes it.
      LD_PRELOAD: `${library} libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: fileOf(port),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }),
    async put({ port }, off) {
      const next = `${fileOf(port)}.next`;
      await writeFile(next, `${off < 0 ? '-' : '+'}${Math.abs(off) / 1_000}\n`);
      await rename(next, fileOf(port));
    },
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}

/**
 * The environment for a process whose wall clock has the offset `by`, such as `+1h`. Monotonic
 * clocks are unaffected.
 */
export async function wallClockOff(by: string): Promise<Readonly<Record<string, string>>> {
  return { LD_PRELOAD: await faketimeLibrary(), FAKETIME: by, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

/** The path of `libfaketime`, which is installed first if possible. */
async function faketimeLibrary(): Promise<string> {
  await ensureProgram({ binary: 'faketime', debianPackage: 'faketime', macos: 'brew install libfaketime' }, 'faketime');
  // Debian has it in a folder for each architecture.
  for (const folder of readdirSync('/usr/lib')) {
    const inner = join('/usr/lib', folder, 'faketime');
    try {
      if (readdirSync(inner).includes('libfaketime.so.1')) return join(inner, 'libfaketime.so.1');
    } catch {
      continue;
    }
  }
  throw new Error(
    'faketime is installed, but libfaketime.so.1 is missing in /usr/lib/*/faketime: install the Debian package libfaketime',
  );
}
