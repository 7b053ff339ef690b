import type { FoundTurn } from '@locks/core/adapter';
import { numberOf, textOf } from '../connection/connection.ts';
import type { Row } from '../connection/connection.ts';
import type { LinePace } from './line-pace.ts';
import type { Session } from '../connection/session.ts';
import { hasEnded } from '../host/process.ts';

/**
 * Looks for turns over one connection, and queries the tables only when the answer may have
 * changed.
 */
export class TurnWatch {
  readonly #session: Session;
  readonly #pace: LinePace;
  #dataVersion: number | undefined = undefined;
  #commits: number | undefined = undefined;
  /** When time alone may change the answer: a holder expires, or a place lapses. */
  #changes = 0;
  /** The processes of the first waiters. No change of the file tells that one has ended. */
  #heads: readonly string[] = [];
  /** The first waiter of each key, and after how many grants. */
  #seen = '';
  /** Who was given a key at the last look, as it was told. */
  #assigned: ReadonlySet<string> = new Set();

  constructor(session: Session, pace: LinePace) {
    this.#session = session;
    this.#pace = pace;
  }

  /**
   * The claims of `process` that are first in line on one of `keys` and can go, and once each that
   * was given a key, of any process: the tables do not say of which.
   */
  look(keys: readonly string[], process: string, now: number): readonly FoundTurn[] {
    const dataVersion = this.#session.dataVersion();
    const { commits } = this.#session;
    const unchanged = dataVersion === this.#dataVersion && commits === this.#commits && now < this.#changes;
    if (unchanged && !this.#heads.some(hasEnded)) return [];
    const rows = this.#rows(keys, process, now, []);
    this.#heads = processesOf(rows);
    const turns = rows.map(({ owner }) => textOf(owner)).filter((owner) => owner !== '');
    const assigned = this.#newlyAssigned(rows);
    // A waiter that does not act on its turn is told again.
    this.#changes = turns.length > 0 ? 0 : Math.min(Infinity, ...rows.map(({ changes }) => numberOf(changes)));
    this.#dataVersion = dataVersion;
    this.#commits = commits;
    this.#notice(rows.map(({ version, place }) => `${numberOf(version)} ${numberOf(place)}`).join(), now);
    return [...turns.map((owner) => ({ owner })), ...assigned];
  }

  #newlyAssigned(rows: readonly Row[]): readonly FoundTurn[] {
    const known = this.#assigned;
    const given = rows.filter((row) => row['assigned_to'] !== null);
    this.#assigned = new Set(given.map(nameOf));
    return given
      .filter((row) => !known.has(nameOf(row)))
      .map((row) => ({
        owner: textOf(row['assigned_to']),
        assigned: { token: BigInt(numberOf(row['version'])), validity: numberOf(row['remaining']) / 1_000 },
      }));
  }

  #rows(keys: readonly string[], process: string, now: number, ended: readonly string[]): readonly Row[] {
    const parameters = { keys: JSON.stringify(keys), process, now, ended: JSON.stringify(ended) };
    const rows = this.#session.rows('turns', parameters);
    const more = processesOf(rows).filter(hasEnded);
    return more.length === 0 ? rows : this.#rows(keys, process, now, [...ended, ...more]);
  }

  /** Refreshed places and renewals are no moves: they would keep all waiters busy. */
  #notice(seen: string, now: number): void {
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#pace.moved(now);
  }
}

/** Those of the first in line. */
function processesOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.map((row) => textOf(row['process'])))].filter((process) => process !== '');
}

function nameOf(row: Row): string {
  return `${textOf(row['assigned_to'])} ${numberOf(row['version'])}`;
}
