import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureProgram } from '../local/install.ts';

/** The path of `libfaketime`, which is installed first where that is possible. */
export async function faketimeLibrary(): Promise<string> {
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
