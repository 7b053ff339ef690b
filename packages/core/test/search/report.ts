import { expect } from 'vitest';
import type { Found } from './search.ts';

/** `npm run models` searches further, and tells how far. */
export const isLong: boolean = process.env['LOCKS_MODELS'] === 'long';

/** Fails with the trace where a search found a problem. */
export function expectSound(title: string, { states, transitions, depth, exhaustive, problem, trace }: Found): void {
  tell(`${title}: ${states} states, ${transitions} transitions, ${depth} deep, ${exhaustive ? 'all' : 'bounded'}`);
  if (problem !== undefined) throw new Error([problem, ...numbered(trace)].join('\n'));
}

/** Fails unless a search found such a problem. */
export function expectBroken(title: string, { states, problem, trace }: Found, expected: RegExp): void {
  tell([`${title}: ${problem}, ${trace.length} steps, ${states} states`, ...numbered(trace)].join('\n'));
  expect(problem).toMatch(expected);
}

function numbered(trace: readonly string[]): string[] {
  return trace.map((line, index) => `${index + 1} ${line}`);
}

export function tell(text: string): void {
  if (isLong) console.log(text);
}
