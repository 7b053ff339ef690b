import type { KeyCall, KeyRecord } from '@locks/core/adapter';
import { inWords } from './compare.ts';
import type { Difference, DifferentialFault } from './options.ts';
import type { Plan } from './plan.ts';
import type { Processes } from './processes.ts';

/** What happened in a sequence, for its failure. */
export class Notes {
  readonly after: Set<DifferentialFault | 'batch' | 'close'> = new Set();
  readonly #lines: string[] = [];
  readonly #plan: Plan;
  readonly #processes: Processes;
  readonly #restarts: number;

  constructor(plan: Plan, processes: Processes) {
    this.#plan = plan;
    this.#processes = processes;
    this.#restarts = processes.restarts;
  }

  write(line: string): void {
    this.#lines.push(line);
  }

  /** There was a fault, so a call may be answered for the second time. */
  isDisturbed(): boolean {
    if (this.#processes.restarts !== this.#restarts) this.after.add('restart');
    return [...this.after].some((step) => step !== 'batch' && step !== 'close');
  }

  difference(
    what: Difference['what'],
    answer: unknown,
    expected: Difference['expected'],
    before: KeyRecord,
    call?: KeyCall,
  ): Difference {
    const { seed, rules } = this.#plan;
    this.write(`the rules have it otherwise (${what}): ${inWords(expected)}`);
    return { what, seed, rules, call, after: this.after, before, answer, expected, trace: this.#lines };
  }
}
