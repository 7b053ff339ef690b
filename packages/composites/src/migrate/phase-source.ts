import { misconfigured } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { describeGiven } from '@locks/core/composite';
import { resolve } from 'node:path';
import { migrateSource } from './options.ts';
import { isPhaseWord } from './phase.ts';
import type { PhaseWord } from './phase.ts';

/** In ms: when a file is read again. More makes a change of phase slower. */
const fileAge = 500;

/**
 * The phase of a configuration: a phase, `env:NAME` for an environment variable, `file:path` for a
 * file that is reread, or a function.
 * @throws `LOCK_MISCONFIGURED` unless it can be read now.
 */
export function phaseSource(given: unknown, runtime: Runtime): PhaseWord | (() => PhaseWord) {
  if (isPhaseWord(given)) return given;
  const read = typeof given === 'function' ? (given as () => unknown) : textSource(given, runtime);
  const phase = (): PhaseWord => check(read(), typeof given === 'string' ? `${given} has` : 'it gave');
  phase();
  return phase;
}

/**
 * Reads the phase of a function. Returns `undefined` if that throws or returns anything else, and
 * calls `misread` when the reason changes.
 */
export function phaseReader(read: () => unknown, misread: (error: unknown) => void): () => PhaseWord | undefined {
  let reason: string | undefined;
  return () => {
    try {
      const phase = check(read(), 'it gave');
      reason = undefined;
      return phase;
    } catch (error) {
      const before = reason;
      reason = String(error);
      if (reason !== before) misread(error);
      return undefined;
    }
  };
}

function textSource(given: unknown, runtime: Runtime): () => unknown {
  const [, kind, name] = /^(env|file):(.+)$/.exec(typeof given === 'string' ? given : '') ?? [];
  if (name === undefined) return () => check(given, 'it is');
  return kind === 'env' ? () => process.env[name]?.trim() : fileSource(resolve(process.cwd(), name), runtime);
}

function fileSource(path: string, { clock }: Runtime): () => unknown {
  // Importing it reads all its exports, which takes some ms.
  const { readFileSync } = process.getBuiltinModule('node:fs');
  let value: string | undefined;
  let readAt = -Infinity;
  return () => {
    if (clock.now() - readAt < fileAge) return value;
    try {
      value = readFileSync(path, 'utf8').trim();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw misconfigured(migrateSource.where, `the phase cannot be read from ${path}: ${code}`, { cause: error });
    }
    readAt = clock.now();
    return value;
  };
}

function check(value: unknown, where: string): PhaseWord {
  if (isPhaseWord(value)) return value;
  const expected = '"from", "both", "to", "env:NAME" or "file:path" with one of them, or "from!" or "to!"';
  throw misconfigured(migrateSource.where, `option "phase" must be ${expected}; ${where} ${describeGiven(value)}`);
}
