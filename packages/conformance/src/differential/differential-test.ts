import { AssertionError } from 'node:assert/strict';
import { step } from '@locks/core/adapter';
import { benchOf } from './bench.ts';
import type { Ending } from './bench.ts';
import type { Difference, DifferentialOptions, DifferentialReport, Exemption } from './options.ts';
import { planOf } from './plan.ts';
import type { Plan } from './plan.ts';
import { openProcesses } from './processes.ts';
import { replay } from './replay.ts';

/**
 * Sends the same random calls on one key to a provider and to the rules of core, `step`, and
 * compares the answers. Resolves to how many sequences agreed. Rejects with the shortest differing
 * sequence found, or if too many sequences were abandoned.
 */
export async function differentialTest(options: DifferentialOptions): Promise<DifferentialReport> {
  return await differentialTestWith(step, options);
}

/** As `differentialTest`, with other rules. Not public: for tests with flawed rules. */
export async function differentialTestWith(
  rules: typeof step,
  options: DifferentialOptions,
): Promise<DifferentialReport> {
  const { sequences = 100, length = 18, seed = 1, together = 40, abandonedAtMost = 0.1, exemptions = [] } = options;
  const opened = await openProcesses(options);
  const counts = { agreed: 0, calls: 0 };
  const exempted: Record<string, number> = {};
  const differences: { plan: Plan; difference: Difference }[] = [];
  const exemptionOf = (difference: Difference): Exemption | undefined =>
    exemptions.find((one) => one.covers(difference));
  const run = async (plan: Plan, lane = 0): Promise<Ending> => {
    const processes = await opened.of(plan.rules, lane);
    return await replay(plan, benchOf(rules, options, opened.can.lasting, processes, plan));
  };
  /** Resolves to those that were abandoned. */
  const runAll = async (plans: readonly Plan[], width: number): Promise<readonly Plan[]> => {
    const abandoned: Plan[] = [];
    const work = async (_: unknown, lane: number): Promise<void> => {
      for (let index = lane; index < plans.length && differences.length === 0; index += width) {
        const plan = plans[index] as Plan;
        const ending = await run(plan, lane);
        counts.calls += ending.calls;
        if (ending.ended === 'agreed') counts.agreed += 1;
        else if (ending.ended === 'abandoned') abandoned.push(plan);
        else {
          const { difference } = ending;
          const exemption = exemptionOf(difference);
          if (exemption === undefined) differences.push({ plan, difference });
          else exempted[exemption.id] = (exempted[exemption.id] ?? 0) + 1;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(width, plans.length) }, work));
    return abandoned;
  };
  let abandoned: readonly Plan[] = Array.from({ length: sequences }, (_, index) =>
    planOf(seed + index, length, opened.can),
  );
  const isEnough = (): boolean => abandoned.length <= abandonedAtMost * sequences;
  try {
    // On a busy machine calls are slow, and decide less: fewer simultaneous ones are faster.
    // Opening providers for few sequences takes longer than running them one by one.
    const most = Math.min(together, Math.ceil(sequences / 4));
    for (const width of [most, Math.ceil(most / 6), 1]) {
      abandoned = await runAll(abandoned, width);
      if (isEnough()) break;
    }
    const [first] = differences;
    if (first !== undefined) {
      const isSame = (one: Difference): boolean => one.what === first.difference.what && exemptionOf(one) === undefined;
      throw failureOf(options.name, await shrink(first.plan, first.difference, run, isSame));
    }
  } finally {
    await opened.close();
  }
  if (!isEnough()) throw tooManyAbandoned(options.name, abandoned.length, sequences);
  return { name: options.name, ...counts, abandoned: abandoned.length, exempted };
}

function failureOf(name: string, { seed, rules, trace }: Difference): AssertionError {
  const what = `seed ${seed}, waiterTtl ${rules.waiterTtl}`;
  const lines = [`${name} answers otherwise than the rules of a key (${what}):`, ...trace];
  return new AssertionError({ message: lines.join('\n  ') });
}

function tooManyAbandoned(name: string, abandoned: number, sequences: number): AssertionError {
  const message = `expected fewer of the ${sequences} sequences of ${name} to be abandoned than ${abandoned}: its calls failed, or took as long as what they decide`;
  return new AssertionError({ message });
}

/**
 * A run of a sequence in real time takes seconds. With more of them, a failure is reported late.
 */
const mostRuns = 60;

/** Removes calls one by one, as long as the same thing differs. Returns the last difference. */
async function shrink(
  plan: Plan,
  found: Difference,
  run: (plan: Plan) => Promise<Ending>,
  isSame: (difference: Difference) => boolean,
): Promise<Difference> {
  let { actions } = plan;
  let difference = found;
  let runs = 0;
  for (let index = actions.length - 1; index >= 0 && runs < mostRuns; index -= 1) {
    const fewer = actions.filter((_, at) => at !== index);
    const ending = await run({ ...plan, actions: fewer });
    runs += 1;
    if (ending.ended !== 'differed' || !isSame(ending.difference)) continue;
    actions = fewer;
    difference = ending.difference;
  }
  return difference;
}
