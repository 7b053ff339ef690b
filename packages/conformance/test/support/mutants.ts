import assert from 'node:assert/strict';
import type { ConformanceReport } from '@locks/conformance';

/** Something that breaks the contract in one way, and what must catch it. */
export interface Mutant {
  readonly name: string;
  /** The requirements that must catch it. */
  readonly caughtBy: readonly string[];
  /**
   * Requirements that build on the broken part and may fail too; `*` stands for any ending. Any
   * other failure is a fault of the suite: its errors would not be local.
   */
  readonly mayAlsoFail?: readonly string[];
}

/** A long list of them, with a space between two. */
export function ids(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '));
}

/** The environment variable that says how much runs against each mutant. */
const extent = process.env['LOCKS_TEST_FLAWS'];

/**
 * Whether each requirement runs against each mutant, which takes minutes: for authors of
 * requirements and mutants (`LOCKS_TEST_FLAWS=all`).
 */
export const everything: boolean = extent === 'all';

/**
 * The requirements to run against `mutant`: those that must catch it. For the stage `mutants` also
 * `control`, cheap ones of all kinds that it must not break.
 */
export function requirementsFor({ caughtBy, mayAlsoFail }: Mutant, control: readonly string[]): readonly string[] {
  // Where all requirements build on the broken part, the others prove nothing.
  const others = extent === undefined || mayAlsoFail?.includes('*') === true ? [] : control;
  return [...new Set([...caughtBy, ...others])];
}

/** Collects what became of mutants, for people to read. */
export interface MutantTable {
  /**
   * Runs the requirements `only` against `mutant`. Fails unless those that must catch it do, and
   * nothing unrelated fails.
   */
  judge(
    mutant: Mutant,
    only: readonly string[],
    run: (only: readonly string[]) => Promise<ConformanceReport>,
  ): Promise<void>;
  /** All of them, in the order of their names. */
  print(): string;
}

/** An empty table with a heading. */
export function createMutantTable(heading: string): MutantTable {
  const rows: string[] = [];
  return {
    async judge({ name, caughtBy, mayAlsoFail = [] }, only, run) {
      const report = await run(only);
      const { seed } = report;
      const failures = failuresOf(report);
      const failed = failures.map(({ id }) => id);
      let missed = caughtBy.filter((id) => !failed.includes(id));
      // A requirement accepts a loss that a process explains which stood still: on a loaded machine
      // that may be the wrong one.
      for (let again = 0; again < 2 && missed.length > 0; again++) {
        const caught = failuresOf(await run(missed)).map(({ id }) => id);
        failed.push(...caught);
        missed = missed.filter((id) => !caught.includes(id));
      }
      const outcome = missed.length === 0 ? 'caught' : `MISSED by ${missed.join(' ')}`;
      rows.push(`| ${name.padEnd(80)} | ${failed.join(' ')} | ${outcome} |`);
      assert.deepEqual(missed, [], `seed ${seed}: not caught by ${missed.join(', ')}, but by ${failed.join(', ')}`);
      const unexpected = failures.filter(
        ({ id }) => !caughtBy.includes(id) && !mayAlsoFail.some((pattern) => matches(pattern, id)),
      );
      const why = unexpected.map(({ id, error }) => `${id}: ${error?.message}`).join('\n');
      assert.equal(unexpected.length, 0, `seed ${seed}: these should not have failed\n${why}`);
    },
    print: () => [heading, '| mutant | caught by | |', '|---|---|---|', ...rows.toSorted()].join('\n'),
  };
}

function failuresOf({ results }: ConformanceReport): ConformanceReport['results'] {
  return results.filter(({ status }) => status === 'failed');
}

/** A pattern is an id, or the start of one and `*`. */
function matches(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern;
}
