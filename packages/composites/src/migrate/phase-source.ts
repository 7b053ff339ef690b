import { misconfigured } from '@locks/core/adapter';
import type { LockError, Runtime } from '@locks/core/adapter';
import { describeGiven } from '@locks/core/composite';
import { resolve } from 'node:path';
import { isPhaseWord, migrateSource } from '../migrate/options.ts';
import type { PhaseWord } from '../migrate/phase.ts';

/** A file is read again after so many ms. More makes a change of phase slower. */
const fileAge = 500;

/**
 * The phase of a configuration: a phase, `env:NAME` for an environment variable, `file:path` for a
 * file that is read again and again, or a function.
 * @throws `LOCK_MISCONFIGURED` unless it can be read now.
 */
export function phaseSource(given: unknown, runtime: Runtime): PhaseWord | (() => PhaseWord) {
  if (isPhaseWord(given)) return given;
  const read = typeof given === 'function' ? (given as () => unknown) : textSource(given, runtime);
  const phase = (): PhaseWord => {
    const value = read();
    if (isPhaseWord(value)) return value;
    throw notPhase(typeof given === 'string' ? `${given} has` : 'it gave', value);
  };
  phase();
  return phase;
}

function textSource(given: unknown, runtime: Runtime): () => unknown {
  const [, kind, name] = /^(env|file):(.+)$/.exec(typeof given === 'string' ? given : '') ?? [];
  if (name === undefined) throw notPhase('it is', given);
  return kind === 'env' ? () => process.env[name]?.trim() : fileSource(resolve(process.cwd(), name), runtime);
}

function fileSource(path: string, { clock }: Runtime): () => unknown {
  // An import of it reads all its exports, which takes some ms.
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

function notPhase(where: string, value: unknown): LockError {
  const expected = '"from", "both", "to", "env:NAME" or "file:path" with one of them, or "from!" or "to!"';
  return misconfigured(migrateSource.where, `option "phase" must be ${expected}; ${where} ${describeGiven(value)}`);
}
