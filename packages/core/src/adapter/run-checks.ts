import { errorText } from '../errors/foreign-errors.ts';
import type { Runtime } from '../time/runtime.ts';
import { createDeadline } from './deadline.ts';
import type { Check, Finding } from './diagnosis.ts';

/** How checks are run. */
export interface CheckRun {
  /** The database, for messages. */
  readonly backend: string;
  /** The limit of a check, in ms; a slower one is unknown. */
  readonly within: number;
  /** The clock. */
  readonly runtime: Runtime;
}

/** Runs all `checks` of `store` simultaneously. The findings are in their order. Never rejects. */
export async function runChecks<Store>(
  checks: readonly Check<Store>[],
  store: Store,
  { backend, within, runtime }: CheckRun,
): Promise<readonly Finding[]> {
  const deadline = createDeadline(runtime, within, backend);
  const run = async ({ name, look }: Check<Store>): Promise<readonly Finding[]> => {
    try {
      const result = await deadline.race((async () => await look(store))(), `the check "${name}"`);
      return result === undefined ? [] : [{ check: name, ...result }];
    } catch (error) {
      return [{ check: name, level: 'unknown', what: `The check failed: ${errorText(error)}` }];
    }
  };
  try {
    return (await Promise.all(checks.map(run))).flat();
  } finally {
    deadline.stop();
  }
}
