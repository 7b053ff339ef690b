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
/** What a touch writes. In the file it precedes the name of the process. */
const mark = ' ';

/** The file beside the database by which others wake the process of this name. */
export function wakeFile(path: string, process: string): string {
  // The remainder of the name shows others whether the process has ended. It is in the file.
  const [id = ''] = process.split(' ', 1);
  return `${path}-${encodeURIComponent(id)}${suffix}`;
}

/** Creates it with the permissions of the database file, so that its users can touch it. */
export function createWakeFile(path: string, process: string): string {
  const file = wakeFile(path, process);
  writeFileSync(file, mark + process);
  const { mode, uid, gid } = statSync(path);
  chmodSync(file, mode & 0o666);
  // SQLite does the same for the files beside a database.
  if (globalThis.process.getuid?.() === 0) chownSync(file, uid, gid);
  return file;
}

/** Writes to it, which its process notices. @throws the system's error if it does not exist. */
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

/** The name of the process that created it; '': unreadable. */
function creatorOf(file: string): string {
  try {
    // Reading a pipe would wait for its writer.
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8').slice(mark.length) : '';
  } catch {
    return '';
  }
}
