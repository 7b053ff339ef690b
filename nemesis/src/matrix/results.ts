import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Script } from '@locks/conformance/nemesis';
import { type Cell, cellsIn } from './cells.ts';

/** The result of one run of one target. */
export interface Result {
  readonly target: string;
  readonly seed: number;
  /** The day. */
  readonly day: string;
  readonly rounds: number;
  readonly cells: readonly Cell[];
  /** The first violated guarantee. Absent: none. */
  readonly violation?: string;
}

/** The folder of results of this working copy, which are not committed. */
const folder = process.env['LOCKS_NEMESIS_RESULTS'] ?? fileURLToPath(new URL('../../.cache/results', import.meta.url));

/** Records a run of `target`. */
export function createResults(target: string, seed: number) {
  const cells = new Set<Cell>();
  let rounds = 0;
  return {
    add(script: Script): void {
      rounds += 1;
      for (const cell of cellsIn(script)) cells.add(cell);
    },
    /** Writes a separate file for the run. */
    write(violation: string | undefined): void {
      const now = new Date().toISOString();
      const found = violation === undefined ? {} : { violation };
      const result: Result = { target, seed, day: now.slice(0, 10), rounds, cells: [...cells], ...found };
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${now.replaceAll(':', '-')}-${target}-${seed}.json`), JSON.stringify(result));
    },
  };
}

/** All results, oldest first. */
export function readResults(): readonly Result[] {
  mkdirSync(folder, { recursive: true });
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.toSorted().map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Result);
}
