import {
  chmodSync,
  chownSync,
  lstatSync,
  readFileSync,
  readdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasEnded } from '../host/process.ts';

const suffix = '.wake';
/** What a touch writes. In the file it stands before the name of the process. */
const mark = ' ';

/** The file beside the database by which others wake the process of this name. */
export function wakeFile(path: string, process: string): string {
  // The rest of the name tells others whether the process has ended. It is in the file.
  const [id = ''] = process.split(' ', 1);
  return `${path}-${encodeURIComponent(id)}${suffix}`;
}

/** Creates it with the rights of the database file, so that its users can touch it. */
export function createWakeFile(path: string, process: string): string {
  const file = wakeFile(path, process);
  writeFileSync(file, mark + process);
  const { mode, uid, gid } = statSync(path);
  chmodSync(file, mode & 0o666);
  // SQLite does the same with the files beside a database.
  if (globalThis.process.getuid?.() === 0) chownSync(file, uid, gid);
  return file;
}

/** Writes to it, which its process hears. @throws what the system says where it is not there. */
export function touchWakeFile(path: string, process: string): void {
  writeFileSync(wakeFile(path, process), mark, { flag: 'r+' });
}

export function removeWakeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Another process was faster, or the file is of another user.
  }
}

/** Removes those of processes that have ended without closing. */
export function removeLeftWakeFiles(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}-`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith(suffix)) continue;
    const file = join(folder, name);
    if (hasEnded(creatorOf(file))) removeWakeFile(file);
  }
}

/** The name of the process that has created it; '': it cannot be read. */
function creatorOf(file: string): string {
  try {
    // To read a pipe would wait for its writer.
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8').slice(mark.length) : '';
  } catch {
    return '';
  }
}
