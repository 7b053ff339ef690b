import { readFileSync, readlinkSync } from 'node:fs';
import { hostTime } from './clock.ts';

/** Identifies a process, also against a later one with its id. */
interface Identity {
  /** Processes of other namespaces have other ids and clocks. */
  readonly namespaces: string;
  readonly started: string;
}

/**
 * In µs: how long a process is assumed to be the one seen with its id, as ids are reused last.
 * Reading the file of a process takes as long as a statement.
 */
const trusted = 100_000;
const mostTrusted = 1_000;
/** By the names of processes. */
const trustedUntil = new Map<string, number>();

let known: { readonly identity: Identity | undefined } | undefined;

/**
 * The name of this process in the tables: `id`, and what lets others see that it is dead, if the
 * platform reports it.
 */
export function processName(id: string): string {
  const own = ownIdentity();
  return own === undefined ? id : [id, own.namespaces, process.pid, own.started].join(' ');
}

/**
 * Whether the process of this name has certainly ended. `false` for one that is not visible from
 * here, such as in another container.
 */
export function hasEnded(name: string): boolean {
  const own = ownIdentity();
  const [, namespaces, number, started] = name.split(' ');
  if (own === undefined || number === undefined || namespaces !== own.namespaces) return false;
  const pid = Number(number);
  if (pid === process.pid) return started !== own.started;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Any other error means a process of another user.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const now = hostTime();
  if (now < (trustedUntil.get(name) ?? 0)) return false;
  const stat = readStat(`${pid}`);
  // Its parent may not have collected its exit code yet.
  const ended = stat !== undefined && (stat.started !== started || /[ZXx]/.test(stat.state));
  if (ended) return true;
  if (trustedUntil.size >= mostTrusted) trustedUntil.clear();
  trustedUntil.set(name, now + trusted);
  return false;
}

function ownIdentity(): Identity | undefined {
  known ??= { identity: readIdentity() };
  return known.identity;
}

function readIdentity(): Identity | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = readStat('self');
  // A /proc of another namespace has other ids.
  if (stat?.pid !== `${process.pid}`) return undefined;
  try {
    const namespaces = [readlinkSync('/proc/self/ns/pid'), readlinkSync('/proc/self/ns/time')].join();
    return { namespaces, started: stat.started };
  } catch {
    // A sandbox may hide them. Linux before 5.6 has no time namespaces.
    return undefined;
  }
}

/** Fields 1, 3 and 22 of `/proc/…/stat`; `undefined`: unreadable. */
function readStat(pid: string): { readonly pid: string; readonly state: string; readonly started: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field, a name in parentheses, may contain any character.
    const [state, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const started = rest[18];
    if (state === undefined || started === undefined) return undefined;
    return { pid: text.slice(0, text.indexOf(' ')), state, started };
  } catch {
    return undefined;
  }
}
