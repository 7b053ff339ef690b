import { failureText } from './failure.ts';
import { shuffle } from './random.ts';
import type { Result } from '../results.ts';
import type { SuiteContext } from '../suite.ts';

/**
 * In random order; the results in the order of `names`. One whose process dies has no figures, and
 * the others continue.
 */
export async function oneByOne(
  names: readonly string[],
  cell: Omit<Result, 'subject'>,
  { random }: SuiteContext,
  measure: (name: string) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<string, Result>();
  for (const name of shuffle(names, random)) {
    const result = await measure(name).catch((error: unknown): Result => ({
      ...cell,
      subject: name,
      failures: 1,
      firstFailure: failureText(error),
    }));
    results.set(name, result);
  }
  return names.flatMap((name) => results.get(name) ?? []);
}
