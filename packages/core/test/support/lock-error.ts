import { expect } from 'vitest';

interface LockErrorLike {
  readonly code: string;
  readonly message: string;
}

/** What `toMatchObject` finds in a `LockError` of that code whose message has that text. */
export function lockError(code: string, message: string | RegExp): LockErrorLike {
  const found: unknown =
    typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
  return { code, message: found as string };
}

/** The same for a `LOCK_MISCONFIGURED`. */
export const misconfigured = (message: string | RegExp): LockErrorLike => lockError('LOCK_MISCONFIGURED', message);

/** The same for a `LOCK_UNAVAILABLE`. */
export const unavailable = (message: string | RegExp): LockErrorLike => lockError('LOCK_UNAVAILABLE', message);

/** The `LockError` that `call` rejects with. What opens in spite of it is closed. */
export async function refusal(call: Promise<unknown>): Promise<Error & LockErrorLike> {
  const answer = await call.then(
    async (opened) => void (await (opened as { close?(): unknown } | null)?.close?.()),
    (error: unknown) => error,
  );
  expect(answer).toMatchObject({ code: expect.stringMatching(/^LOCK_/) as string });
  return answer as Error & LockErrorLike;
}
