import type { LockProvider } from '../../contract.ts';
import { isLockError } from '../../errors/lock-error.ts';
import type { Runtime } from '../../time/runtime.ts';
import { settledWithin } from '../../time/settled-within.ts';

/** What became of a member that was opened. */
export type Outcome =
  | { readonly provider: LockProvider }
  | {
      readonly error: unknown;
      /** Another attempt would fail in the same way. */
      readonly permanent: boolean;
    };

/**
 * Waits until `need` of `openings` are open or cannot be, then `patience` ms for the others: a
 * member that is only a little slower is open from the start. Resolves at once where one failed for
 * good. Gives the outcomes, `undefined` where there is none yet. Never rejects.
 */
export async function openEnough(
  openings: readonly Promise<LockProvider>[],
  need: number,
  patience: number,
  runtime: Runtime,
): Promise<readonly (Outcome | undefined)[]> {
  const outcomes: (Outcome | undefined)[] = openings.map(() => undefined);
  let open = 0;
  let failed = 0;
  let failedForGood = false;
  await new Promise<void>((resolve) => {
    const all = openings.map(async (opening, index) => {
      try {
        outcomes[index] = { provider: await opening };
        open += 1;
      } catch (error) {
        const permanent = !isLockError(error, 'LOCK_UNAVAILABLE');
        outcomes[index] = { error, permanent };
        failed += 1;
        failedForGood ||= permanent;
      }
      if (failedForGood) resolve();
      if (open === need || failed === openings.length - need + 1) {
        void settledWithin(runtime, patience, Promise.all(all)).then(resolve);
      }
    });
  });
  return [...outcomes];
}
