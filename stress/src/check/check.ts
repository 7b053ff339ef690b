import type { RunLog } from '../log/events.ts';
import { checkAnswers } from './answers.ts';
import { readClaims } from './claims.ts';
import { checkExclusion } from './exclusion.ts';
import { checkFailures } from './failures.ts';
import { type Figures, readFigures } from './figures.ts';
import { checkLiveness } from './liveness.ts';
import { checkResources } from './resources.ts';
import { checkTokens } from './tokens.ts';
import { checkWrites } from './writes.ts';

/** What a run came to. */
export interface Verdict {
  /** What the logs break of the promises of the library, in words. */
  readonly violations: readonly string[];
  readonly figures: Figures;
}

/** Judges the logs of a run. `sharersMayTie`: two sharers may have the same token. */
export function check(log: RunLog, sharersMayTie = false): Verdict {
  const claims = readClaims(log);
  const killed = new Set(
    log.control.flatMap((event) => (event.ev === 'exit' && event.how === 'killed' ? [event.worker] : [])),
  );
  const survivors = new Set([...log.workers.keys()].filter((worker) => !killed.has(worker)));
  return {
    violations: [
      ...checkExclusion(claims),
      ...checkTokens(claims, sharersMayTie),
      ...checkWrites(log.register, claims),
      ...checkAnswers(claims, log.control),
      ...checkLiveness(claims, log.control, survivors),
      ...checkFailures(claims, log),
      ...checkResources(log),
    ],
    figures: readFigures(log, claims),
  };
}
