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

/** Collects what became of mutants, for people to read. */
export interface MutantTable {
  /**
   * Fails unless `report` shows that the requirements of `mutant` caught it, and nothing unrelated
   * failed.
   */
  judge(mutant: Mutant, report: ConformanceReport): void;
  /** All of them, in the order of their names. */
  print(): string;
}

/** An empty table with a heading. */
export function createMutantTable(heading: string): MutantTable {
  const rows: string[] = [];
  return {
    judge({ name, caughtBy, mayAlsoFail = [] }, { results, seed }) {
      const failures = results.filter(({ status }) => status === 'failed');
      const failed = failures.map(({ id }) => id);
      const missed = caughtBy.filter((id) => !failed.includes(id));
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

/** A pattern is an id, or the start of one and `*`. */
function matches(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern;
}
