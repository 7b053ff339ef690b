import type { LockProvider } from '@locks/core';
import type { Action } from './plan.ts';

/** A call about no claim. */
export type Question = Action & { readonly op: 'list' | 'time' | 'register' };

/** Sends it. `name`: of the register, and the prefix of the keys. */
export async function ask(provider: LockProvider, question: Question, name: string): Promise<unknown> {
  if (question.op === 'time') return await provider.time?.();
  if (question.op === 'register') return await provider.register?.(name, { from: question.from, to: question.to });
  const keys: string[] = [];
  for await (const key of provider.list?.(name) ?? []) keys.push(key);
  return keys.toSorted();
}

/** Whether the answer is the expected one. */
export function agrees({ op }: Question, answer: unknown, expected: unknown): boolean {
  // 2020 to 2100: only the store's own clock knows more.
  if (op === 'time') return typeof answer === 'number' && answer > 1.577e12 && answer < 4.1e12;
  return JSON.stringify(answer) === JSON.stringify(expected);
}
