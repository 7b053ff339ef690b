import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';

/** The process that runs a command, and its descendants. */
export interface Family {
  readonly pid: number;
  /**
   * They are a process group of their own. Otherwise they are in the group of this process, as the
   * terminal requires, which may be that of the calling script.
   */
  readonly isGroup: boolean;
}

/** Whether this process has a terminal. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/** Sends `signal` to all processes of `family`, and to those in `known`. */
export function signalFamily(family: Family, signal: NodeJS.Signals, known: readonly number[] = []): void {
  if (family.isGroup) send(-family.pid, signal);
  else for (const pid of new Set([...known, ...treeOf(family.pid)])) send(pid, signal);
}

/** Sends `signal` to a process that may be gone. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or runs as another user.
  }
}

/** The running processes of `family`, without zombies. */
export function living(family: Family, known: readonly number[] = []): readonly number[] {
  const pids = family.isGroup ? groupOf(family.pid) : [...new Set([...known, ...treeOf(family.pid)])];
  return pids.filter(isRunning);
}

function isRunning(pid: number): boolean {
  const stat = statOf(pid);
  if (stat !== undefined) return !/^[ZX]/.test(stat);
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux';
  } catch {
    return false;
  }
}

/** What Linux reports about a process, from its state on. */
function statOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program comes first, and may have any characters.
    return text.slice(text.lastIndexOf(')') + 2);
  } catch {
    return undefined;
  }
}

function groupOf(group: number): readonly number[] {
  if (process.platform !== 'linux') return pgrep('-g', group);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => Number(statOf(pid)?.split(' ')[2]) === group);
}

/** `pid` and its descendants. */
export function treeOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

function childrenOf(pid: number): readonly number[] {
  if (process.platform !== 'linux') return pgrep('-P', pid);
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    return tasks.flatMap((task) => numbersIn(readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')));
  } catch {
    return [];
  }
}

function pgrep(option: '-g' | '-P', pid: number): readonly number[] {
  return numbersIn(spawnSync('pgrep', [option, String(pid)], { encoding: 'utf8', timeout: 1_000 }).stdout ?? '');
}

function numbersIn(text: string): readonly number[] {
  return text.split(/\s+/).flatMap((word) => (word === '' ? [] : Number(word)));
}
