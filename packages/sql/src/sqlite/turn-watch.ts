import { numberOf, textOf } from './database.ts';
import type { Session } from './session.ts';

/** Looks for turns over one connection, and queries the tables only when the answer may have changed. */
export class TurnWatch {
  readonly #session: Session;
  #dataVersion: number | undefined = undefined;
  #commits: number | undefined = undefined;
  /** When time alone may change the answer: a holder expires, or a place lapses. */
  #changes = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The owners of `process` that are first in line on one of `keys` and can go. */
  look(keys: readonly string[], process: string, now: number): readonly string[] {
    const dataVersion = this.#session.dataVersion();
    const { commits } = this.#session;
    if (dataVersion === this.#dataVersion && commits === this.#commits && now < this.#changes) return [];
    const turns: string[] = [];
    let changes = Infinity;
    for (const row of this.#session.rows('turns', { keys: JSON.stringify(keys), process, now })) {
      changes = Math.min(changes, numberOf(row['changes']));
      if (row['owner'] !== null) turns.push(textOf(row['owner']));
    }
    // Whoever is not heard of after its turn was told is told again.
    this.#changes = turns.length === 0 ? changes : 0;
    this.#dataVersion = dataVersion;
    this.#commits = commits;
    return turns;
  }
}
