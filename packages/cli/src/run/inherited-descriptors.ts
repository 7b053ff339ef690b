import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/**
 * The descriptors above 2 that this process was started with, such as those of `5<file` and of
 * make's jobserver. Node closes them for its children. Import it before anything is opened. Empty
 * without `/proc`.
 */
export const inheritedDescriptors: readonly number[] = inherited();

interface Descriptor {
  readonly fd: number;
  /** Its target: a path, `pipe:[4711]`, `anon_inode:[eventpoll]`. */
  readonly target: string;
}

function inherited(): readonly number[] {
  const open = descriptorsOf('self');
  const parents = new Set(descriptorsOf(process.ppid).map(({ target }) => target));
  const own = open.filter(({ target }) => isOwn(target, open, parents)).map(({ fd }) => fd);
  // Node opens it last.
  const ofNode = ({ fd, target }: Descriptor): boolean => target === '/dev/null' && fd > Math.max(...own);
  return open.filter((each) => each.fd > 2 && !own.includes(each.fd) && !ofNode(each)).map(({ fd }) => fd);
}

/** Whether Node has opened it: for its event loop, or a pipe of which only it has both ends. */
function isOwn(target: string, open: readonly Descriptor[], parents: ReadonlySet<string>): boolean {
  if (target.startsWith('anon_inode:')) return true;
  if (!target.startsWith('pipe:') || parents.has(target)) return false;
  const ends = open.filter((other) => other.target === target).map(({ fd }) => accessOf(fd));
  return new Set(ends).size > 1;
}

/** `0` reads, `1` writes. `undefined` if the system does not report it. */
function accessOf(fd: number): string | undefined {
  try {
    return /^flags:\s*\d*(\d)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

function descriptorsOf(process: number | 'self'): readonly Descriptor[] {
  try {
    return readdirSync(`/proc/${process}/fd`).flatMap((name) => {
      try {
        return { fd: Number(name), target: readlinkSync(`/proc/${process}/fd/${name}`) };
      } catch {
        // It was open only while the folder was read.
        return [];
      }
    });
  } catch {
    // There is no `/proc`, or the process is of another user.
    return [];
  }
}
