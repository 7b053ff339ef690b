import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Why no SQLite file can be at `path`, or none that all processes see alike. `undefined`: one
 * exists, or can be created.
 */
export function whyNoFile(path: string): string | undefined {
  return orRefusal('look at it', () => {
    const folder = statSync(dirname(path), { throwIfNoEntry: false });
    if (folder === undefined) return 'its folder does not exist; create it first';
    if (!folder.isDirectory()) return 'its folder is a file';
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) return undefined;
    if (file.isDirectory()) return 'it is a folder';
    if (!file.isFile()) return 'it is a device, a pipe or a socket; name a file';
    // The log is beside the name by which a process opens the file.
    if (file.nlink > 1)
      return `it has ${file.nlink} names (hard links), and SQLite keeps a log beside each of them; leave one name`;
    if (mountPoints().has(realpathSync(path)))
      return 'the file alone is mounted, and SQLite keeps its log beside it, where others do not see it; mount the folder';
    return undefined;
  });
}

/** The mount points of this process, on Linux. */
function mountPoints(): ReadonlySet<string> {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    const unescaped = (field: string): string =>
      field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    return new Set(lines.map((line) => unescaped(line.split(' ')[4] ?? '')));
  } catch {
    return new Set();
  }
}

/**
 * Why this process cannot write the file at `path`, or beside it. `undefined`: the file system
 * gives no reason, so another attempt may succeed. It opens nothing, as closing a file drops the
 * process's SQLite locks on it.
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
 * The result of `look`, or the reason if the system refuses it permanently: this process may not do
 * `what`.
 */
function orRefusal(what: string, look: () => string | undefined): string | undefined {
  try {
    return look();
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'EACCES' || code === 'EPERM') return `this process may not ${what}`;
    if (code === 'EROFS') return 'its file system is read-only';
    if (code === 'ELOOP' || code === 'ENAMETOOLONG') return `its path is unusable (${code})`;
    return undefined;
  }
}
