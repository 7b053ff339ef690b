import { randomBytes } from 'node:crypto';
import type { Place, step } from '@locks/core/adapter';
import { now, sleep } from '../checks/time.ts';
import type { Closeness } from './compare.ts';
import type { Difference, DifferentialOptions, DifferentialTime } from './options.ts';
import type { Plan } from './plan.ts';
import type { Processes } from './processes.ts';

/** What sequences are run with. */
export interface Bench {
  /** All with the rules of the plan. */
  readonly processes: Processes;
  readonly time: DifferentialTime;
  /** How long a position lasts, in ms. */
  readonly waiterTtl: number;
  readonly margin: number;
  readonly close: Omit<Closeness, 'longer'>;
  /** The ttl of a claim ends nothing. */
  readonly lasting: boolean;
  readonly closeEnds: 'places' | 'all' | undefined;
  readonly assigns: ((head: Place<unknown>) => boolean) | undefined;
  readonly step: typeof step;
  /** The prefix of the sequence's keys, unique to it. */
  readonly prefix: string;
}

/** How a sequence ended. */
export type Ending =
  | { readonly ended: 'agreed'; readonly calls: number }
  | { readonly ended: 'abandoned'; readonly calls: number }
  | { readonly ended: 'differed'; readonly calls: number; readonly difference: Difference };

export function benchOf(
  rules: typeof step,
  options: DifferentialOptions,
  lasting: boolean,
  processes: Processes,
  plan: Plan,
): Bench {
  const { virtual, assigns, margin = virtual === undefined ? 25 : 0 } = options;
  const closeEnds = options.closeEnds ?? (lasting ? 'all' : undefined);
  return {
    processes,
    time: virtual ?? { now, sleep: async (ms) => await sleep(ms) },
    waiterTtl: lasting ? Infinity : plan.rules.waiterTtl,
    margin,
    close: { remaining: margin + 1, retryAfter: virtual === undefined ? undefined : 1.5 },
    lasting,
    closeEnds,
    assigns: assigns && ((head) => assigns(head, plan.rules)),
    step: rules,
    prefix: `differential-${randomBytes(6).toString('hex')}`,
  };
}
