import { isAbsolute } from 'node:path';
import { LockError, flag, integer, matching, readOptions } from '@locks/core/adapter';
import type { OptionReader, OptionReaders } from '@locks/core/adapter';
import type { Faults } from './faults/faults.ts';
import type { ConformanceOptions, ConformanceSettings } from './options.ts';
import type { ProcessesOption } from './processes/other-process.ts';

const where = 'Conformance options';
const code = 'LOCK_MISCONFIGURED';

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** A function; `does` says in words what it does. */
function callback<T extends (...parameters: never[]) => unknown>(does: string): OptionReader<T> {
  return {
    expects: `a function that ${does}`,
    accepts: (value): value is T => typeof value === 'function',
    parse: () => undefined,
  };
}

/** Anything that `test` accepts; `expects` describes it. */
function passing<T>(expects: string, test: (value: unknown) => boolean): OptionReader<T> {
  return { expects, accepts: (value): value is T => test(value), parse: () => undefined };
}

const readers: OptionReaders<ConformanceOptions> = {
  name: matching(/[^]/, 'a name, which reports show'),
  create: callback('makes a provider'),
  createOther: callback('makes a provider with the shortest settings'),
  ttl: integer(50, 60_000),
  faults: passing('an object of hooks', isObject),
  leaks: callback('counts what must not grow'),
  disturb: callback('disturbs the store, and resolves to what ends that'),
  processes: passing('an object with the path of a module', isObject),
  only: passing(
    'a list of ids of requirements, with one at least, or a function that chooses them',
    (value) => typeof value === 'function' || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  ),
  strict: flag,
  seed: integer(0, 2 ** 32 - 1),
  limit: integer(1, 2 ** 31 - 1),
};

const hookReaders: OptionReaders<Faults> = {
  sever: callback('cuts the connections of a provider'),
  silence: callback('cuts a provider off without a sign'),
  pause: callback('freezes the backend'),
  restart: callback('restarts the backend'),
  restartEmpty: callback('restarts the backend empty'),
  dropReply: callback('drops the next reply to a provider'),
  delay: callback('delays the replies to a provider'),
  duplicate: callback('makes requests of a provider arrive twice'),
};

const processesReaders: OptionReaders<ProcessesOption> = {
  module: passing('a file URL or an absolute path', isLocation),
  args: passing('any value', () => true),
};

function isLocation(value: unknown): boolean {
  if (value instanceof URL) return value.protocol === 'file:';
  return isText(value) && (isAbsolute(value) || value.startsWith('file:'));
}

/**
 * Fills in the defaults. Throws `LOCK_MISCONFIGURED` for a missing, unknown or wrong option, with
 * its name, its value, and what it must be.
 */
export function resolveOptions(options: ConformanceOptions): ConformanceSettings {
  if (!isObject(options)) throw new LockError(code, `${where}: give an object, such as { name, create }.`);
  const read = readOptions(readers, options, { where, code });
  const { ttl = 400, faults = {}, processes } = read;
  return {
    name: required(read, 'name'),
    create: required(read, 'create'),
    createOther: read.createOther,
    ttl,
    faults: readOptions(hookReaders, faults, { where: `${where}, faults`, code }),
    leaks: read.leaks,
    disturb: read.disturb,
    processes: processes === undefined ? undefined : readProcesses(processes),
    only: read.only,
    strict: read.strict ?? false,
    seed: read.seed ?? Math.floor(Math.random() * 2 ** 32),
    limit: read.limit ?? Math.max(30_000, 60 * ttl),
    // Longer: a flaw shows later. Shorter: a provider on a loaded machine fails.
    patience: Math.max(2_500, 12.5 * ttl),
  };
}

function readProcesses(processes: ProcessesOption): ProcessesOption {
  const source = { where: `${where}, processes`, code } as const;
  const read = readOptions(processesReaders, processes, source);
  return { ...read, module: required(read, 'module', source.where) };
}

function required<T extends object, Name extends keyof T & string>(
  read: T,
  name: Name,
  whose: string = where,
): Exclude<T[Name], undefined> {
  const value = read[name];
  if (value !== undefined) return value as Exclude<T[Name], undefined>;
  const known: Readonly<Record<string, OptionReader<unknown>>> = { ...readers, ...processesReaders };
  throw new LockError(code, `${whose}: option "${name}" is missing. Give ${known[name]?.expects ?? 'a value'}.`);
}
