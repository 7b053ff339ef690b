import { readdirSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from '../local/install.ts';
import type { ServerAddress } from '../server/address.ts';

/** Wall clocks of local servers, each of which can be put forward or back while its server runs. */
export interface WallClocks extends AsyncDisposable {
  /** What the process of the server at `port` needs in its environment. */
  environmentOf(port: number): Readonly<Record<string, string>>;
  /**
   * Puts the clock of `server` off by so many ms from that of this machine. Clocks that measure
   * durations go on as they are.
   */
  put(server: Pick<ServerAddress, 'port'>, off: number): Promise<void>;
}

/** Clocks that are right until they are put off. They must outlive their servers. */
export async function wallClocks(): Promise<WallClocks> {
  const library = await faketimeLibrary();
  const folder = await mkdtemp(join(tmpdir(), 'locks-test-clocks-'));
  const fileOf = (port: number): string => join(folder, `${port}`);
  return {
    environmentOf: (port) => ({
      // The library reads the clock while it starts. An allocator that does so too, as that of
      // Redis, would call it for ever, so the one of libc goes before it.
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
 * What gives a process a wall clock that is off by as much as `by` says, such as `+1h`. Clocks that
 * measure durations go on as they are.
 */
export async function wallClockOff(by: string): Promise<Readonly<Record<string, string>>> {
  return { LD_PRELOAD: await faketimeLibrary(), FAKETIME: by, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

/** The path of `libfaketime`, which is installed first where that is possible. */
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
    'faketime is there, but not libfaketime.so.1 in /usr/lib/*/faketime: install the Debian package libfaketime',
  );
}
