import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Why no SQLite file can be at `path`. `undefined`: there is one, or one can be created. */
export function whyNoFile(path: string): string | undefined {
  return orRefusal('look at it', () => {
    const folder = statSync(dirname(path), { throwIfNoEntry: false });
    if (folder === undefined) return 'its folder is not there; create it first';
    if (!folder.isDirectory()) return 'what should be its folder is a file';
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined || file.isFile()) return undefined;
    return file.isDirectory() ? 'it is a folder' : 'it is a device, a pipe or a socket; name a file';
  });
}

/**
 * Why this process cannot write to the file at `path`, or beside it. `undefined`: the file system
 * gives no reason, so another attempt may succeed. It opens nothing: to close a file takes the
 * process the locks that SQLite has on it.
 */
export function whyNotWritable(path: string): string | undefined {
  const { R_OK, W_OK, X_OK } = constants;
  const ofFile = (suffix: string, name: string): string | undefined =>
    orRefusal(`read and write ${name}`, () => {
      if (statSync(path + suffix, { throwIfNoEntry: false }) !== undefined) accessSync(path + suffix, R_OK | W_OK);
      return undefined;
    });
  return (
    ofFile('', 'it') ??
    ofFile('-wal', 'the file beside it that ends in -wal') ??
    ofFile('-shm', 'the file beside it that ends in -shm') ??
    orRefusal('write into its folder, where SQLite keeps two more files', () => {
      accessSync(dirname(path), W_OK | X_OK);
      return undefined;
    })
  );
}

/**
 * What `look` says, or what the system says that refuses it for good: this process may not do
 * `what`.
 */
function orRefusal(what: string, look: () => string | undefined): string | undefined {
  try {
    return look();
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'EACCES' || code === 'EPERM') return `this process may not ${what}`;
    if (code === 'EROFS') return 'its file system is read-only';
    if (code === 'ELOOP' || code === 'ENAMETOOLONG') return `its path is of no use (${code})`;
    return undefined;
  }
}
