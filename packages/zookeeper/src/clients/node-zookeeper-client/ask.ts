import type { Answer } from '../../wire/answer.ts';
import { serverError } from '../../wire/codes.ts';
import type { ClientCallback } from './client.ts';

/** The result of a callback: a code of ZooKeeper, 0 without an error. */
export interface Asked<Values extends readonly unknown[]> {
  readonly code: number;
  readonly values: Values;
}

/** The client's class of error for wrong arguments. */
const badArguments = -8;

/** The value is not read unless the code is 0. */
export function ask<Values extends readonly unknown[]>(
  run: (callback: ClientCallback<Values>) => void,
): Promise<Asked<Values>> {
  return new Promise((resolve) => {
    try {
      run((error, ...values) => resolve({ code: codeOf(error), values }));
    } catch {
      resolve({ code: badArguments, values: [] as unknown as Values });
    }
  });
}

/** The answer for a code other than 0. */
export function refused(code: number): Answer<never> {
  return { ok: false, error: serverError(code), code, zxid: 0n };
}

function codeOf(error: unknown): number {
  if (error === null || error === undefined) return 0;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'number' ? code : badArguments;
}
