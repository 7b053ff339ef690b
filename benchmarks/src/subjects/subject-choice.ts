import { UsageError } from '@locks/command-line';
import type { SubjectNames } from './subject-loaders.ts';
import type { SuiteContext } from '../suite.ts';

/** Ours and the raw client, and of the peers those that were asked for. */
export function chooseSubjects(
  { options: { subjects }, print }: SuiteContext,
  { present, absent }: SubjectNames,
): string[] {
  const unknown = subjects.filter((name) => ![...present, ...absent.map((one) => one.name)].includes(name));
  if (unknown.length > 0) throw new UsageError(`--subjects: no ${unknown.join(', ')}, only ${present.join(', ')}.`);
  for (const { name, reason } of absent) print(`LEFT OUT: ${name} ${reason}.`);
  return present.filter((name) => subjects.length === 0 || !isPeer(name) || subjects.includes(name));
}

/** Whether a subject is neither this library nor a raw client. */
export function isPeer(name: string): boolean {
  return !name.startsWith('@locks') && !name.startsWith('raw ');
}
