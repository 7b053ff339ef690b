import { permitsRefused, upgradeRefused } from '@locks/core/adapter';
import type { Claim, Holder, KeyState } from '@locks/core';
import { DefaultSchema } from '../dialect/default-schema.ts';
import type { KnexClient } from '../dialect/knex.ts';
import { looksPerRemoval } from '../dialect/lock-store.ts';
import type { Attempt, Line, LockStore, Released, Renewed, StoreOptions, Swept, Turn } from '../dialect/lock-store.ts';
import { checkConnection } from './check-connection.ts';
import type { ConnectionFacts } from './check-connection.ts';
import type { MysqlConnection, Row, Value } from './connection.ts';
import { endOf, hex, micros, powerOfTwo } from './encoding.ts';
import { canRepeat, explain, isBroken, isInTransaction } from './errors.ts';
import { changed, discard, nameOf, rowsOf, textOf } from './session.ts';
import { textsOf } from './texts.ts';
import type { Texts } from './texts.ts';

/** As many keys as one look at the line asks for. */
const looksTogether = 256;

/** What the statement of a release answers with. */
const nobodyInLine = 1n;
const headIsOurs = 3n;
const headMayBeGone = 4n;

export function createStore(_client: KnexClient, options: StoreOptions): LockStore {
  return new MysqlStore(options);
}

/**
 * MariaDB and MySQL, through mysql2: what one statement on the key's row cannot decide, a stored
 * procedure does.
 */
class MysqlStore implements LockStore<MysqlConnection> {
  readonly name = 'mysql';
  readonly scope = 'network';
  readonly pollInterval = 25;
  readonly #options: StoreOptions;
  readonly #schema: DefaultSchema;
  #texts: Texts;
  readonly #facts = new WeakMap<MysqlConnection, ConnectionFacts>();

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#schema = new DefaultSchema(options.names);
    this.#texts = textsOf(options, options.names);
  }

  async checkConnection(connection: MysqlConnection): Promise<void> {
    const { names } = this.#options;
    if (names.schema === undefined) {
      const [found] = await rowsOf(connection, this.#texts.findSchema, [`${names.table}_layout`]);
      this.#schema.found(found && nameOf(found['name']));
      this.#texts = textsOf(this.#options, this.#schema.names);
    }
    this.#facts.set(connection, await checkConnection(connection, this.#texts.checkConnection, this.#schema.names));
  }

  async acquireFree(connection: MysqlConnection, { key, owner, ttl, floor = 0n }: Claim): Promise<bigint | undefined> {
    if (!this.#clockMoves(connection)) return undefined;
    const values = [owner, `${floor}`, owner, micros(ttl), hex(key), this.#limit(ttl), owner];
    const token = await changed(connection, this.#texts.acquireFree, values);
    return token === 0n ? undefined : token;
  }

  async attempt(connection: MysqlConnection, claim: Claim, line: Line | undefined): Promise<Attempt> {
    const { outcome, answer, turns } = await this.#act(connection, 'acquire', claim, claim.floor ?? 0n, line);
    switch (outcome) {
      case 'granted':
        return { token: BigInt(answer), turns };
      case 'busy':
        return { token: undefined, retryAfter: Number(answer), turns };
      case 'permits':
        throw permitsRefused(claim, answer === '0' ? undefined : Number(answer));
      case 'upgrade':
        throw upgradeRefused(claim);
      default:
        throw new Error(`the procedure answered ${outcome}`);
    }
  }

  async renew(connection: MysqlConnection, claim: Claim, token: bigint | undefined): Promise<Renewed> {
    const raised = token === undefined ? null : `${token}`;
    if (claim.mode === 'exclusive' && this.#clockMoves(connection)) {
      const { key, owner, ttl } = claim;
      const values = [raised, micros(ttl), hex(key), micros(this.#options.timeout), owner, raised];
      if ((await changed(connection, this.#texts.renew, values)) !== 0n) return { renewed: true, turns: [] };
    }
    const { answer, turns } = await this.#act(connection, 'renew', claim, token);
    return { renewed: answer === '1', turns };
  }

  async release(connection: MysqlConnection, claim: Claim): Promise<Released> {
    let freed = false;
    if (claim.mode === 'exclusive' && this.#clockMoves(connection)) {
      const { process, timeout } = this.#options;
      const values = [process, hex(claim.key), micros(timeout), claim.owner];
      const what = await changed(connection, this.#texts.release, values);
      freed = what >= nobodyInLine;
      if (what === headIsOurs) return { freed, turns: await this.#head(connection, claim.key) };
      if (freed && what !== headMayBeGone) return { freed, turns: [] };
    }
    const { answer, turns } = await this.#act(connection, 'release', claim, undefined);
    return { freed: freed || answer === '1', turns };
  }

  async inspect(connection: MysqlConnection, key: string): Promise<KeyState> {
    const holders: Holder[] = [];
    let waiters = 0;
    for (const row of await rowsOf(connection, this.#texts.inspect, [hex(key)])) {
      const mode = textOf(row['mode']);
      if (mode === 'waiters') waiters = Number(textOf(row['token']));
      else if (mode === 'exclusive' || mode === 'shared') holders.push({ mode, ...readHolder(row) });
    }
    return { key, holders, waiters };
  }

  async list(
    connection: MysqlConnection,
    prefix: string,
    after: string | undefined,
    limit: number,
  ): Promise<readonly string[]> {
    // mysql2 sends numbers as doubles, which a limit must not be.
    const text = this.#texts.list.replace('{limit}', `${Math.trunc(limit)}`);
    const rows = await rowsOf(connection, text, [hex(prefix), endOf(prefix), hex(after ?? '')]);
    return rows.map((row) => Buffer.from(textOf(row['key']), 'hex').toString());
  }

  async turns(connection: MysqlConnection, keys: readonly string[]): Promise<readonly string[]> {
    const owners: string[] = [];
    for (let start = 0; start < keys.length; start += looksTogether) {
      const some = keys.slice(start, start + looksTogether).map(hex);
      const asked = powerOfTwo(some);
      const text = this.#texts.turns.replace('{keys}', asked.map(() => 'UNHEX(?)').join(', '));
      const rows = await rowsOf(connection, text, [this.#options.process, ...asked]);
      owners.push(...rows.map((row) => textOf(row['owner'])));
    }
    return owners;
  }

  async sweep(connection: MysqlConnection, retention: number, limit: number, after: string): Promise<Swept> {
    const stretch = this.#texts.sweepStretch.replace('{offset}', `${limit * looksPerRemoval - 1}`);
    const [end] = await rowsOf(connection, stretch, [after]);
    const last = end === undefined ? undefined : textOf(end['key']);
    const [row] = await rowsOf(connection, this.#texts.sweep, [micros(retention), `${limit}`, after, last ?? null]);
    const removed = Number(textOf(row?.['swept']));
    // There may be more in this stretch.
    return { removed, next: removed === limit ? after : last };
  }

  canRepeat(error: unknown): boolean {
    return canRepeat(error);
  }

  isInTransaction(error: unknown): boolean {
    return isInTransaction(error);
  }

  isBroken(error: unknown): boolean {
    return isBroken(error);
  }

  discard(connection: MysqlConnection): void {
    discard(connection);
  }

  explain(...args: Parameters<LockStore['explain']>): ReturnType<LockStore['explain']> {
    return explain(...args);
  }

  /**
   * Where SYSDATE stands still, a statement that waited for a row cannot tell the time: procedures
   * can, which have more than one.
   */
  #clockMoves(connection: MysqlConnection): boolean {
    return this.#facts.get(connection)?.clockMoves === true;
  }

  /**
   * A claim that takes effect after the end of the call, or of the ttl, would be a hold without a
   * holder.
   */
  #limit(ttl: number): string {
    return micros(Math.min(this.#options.timeout, ttl));
  }

  async #act(
    connection: MysqlConnection,
    act: 'acquire' | 'renew' | 'release',
    claim: Claim,
    token: bigint | undefined,
    line?: Line,
  ): Promise<{ readonly outcome: string; readonly answer: string; readonly turns: readonly Turn[] }> {
    const { waiterTtl, timeout, fair } = this.#options;
    const { key, owner, ttl, mode, permits = 0 } = claim;
    const others = line === undefined || line.others.length === 0 ? null : line.others.map(hex).join(',');
    const values: Value[] = [
      act,
      hex(key),
      owner,
      micros(ttl),
      token === undefined ? null : `${token}`,
      mode === 'shared' ? `${permits}` : null,
      line?.process ?? null,
      micros(waiterTtl),
      others,
      fair ? '1' : '0',
      act === 'acquire' ? this.#limit(ttl) : micros(timeout),
    ];
    const [row] = await rowsOf(connection, this.#texts.act, values);
    if (row === undefined) throw new Error('the procedure answered nothing');
    const { turn_process: process, turn_owner: waiter } = row;
    const turns = waiter === null ? [] : [{ process: textOf(process), owner: textOf(waiter) }];
    return { outcome: textOf(row['outcome']), answer: textOf(row['answer']), turns };
  }

  async #head(connection: MysqlConnection, key: string): Promise<readonly Turn[]> {
    const rows = await rowsOf(connection, this.#texts.head, [hex(key)]);
    return rows.map((row) => ({ process: textOf(row['process']), owner: textOf(row['owner']) }));
  }
}

function readHolder(row: Row): Omit<Holder, 'mode'> {
  const remaining = Number(textOf(row['remaining'])) / 1_000;
  return { owner: textOf(row['owner']), token: BigInt(textOf(row['token'])), remaining };
}
