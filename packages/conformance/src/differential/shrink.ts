import type { Difference } from './options.ts';
import type { Plan } from './plan.ts';
import type { Ending } from './replay.ts';

/** A run of a sequence in real time takes seconds. With more of them, a failure comes late. */
const mostRuns = 60;

/**
 * Leaves out one call after the other, as long as the same thing differs. Gives the last
 * difference.
 */
export async function shrink(plan: Plan, found: Difference, run: (plan: Plan) => Promise<Ending>): Promise<Difference> {
  let { actions } = plan;
  let difference = found;
  let runs = 0;
  for (let index = actions.length - 1; index >= 0 && runs < mostRuns; index -= 1) {
    const fewer = actions.filter((_, at) => at !== index);
    const ending = await run({ ...plan, actions: fewer });
    runs += 1;
    if (ending.ended !== 'differed' || ending.difference.what !== found.what) continue;
    actions = fewer;
    difference = ending.difference;
  }
  return difference;
}
