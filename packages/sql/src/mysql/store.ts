import type { FoundTurn, LockError } from '@locks/core/adapter';
import type { Claim, KeyState, RegisterChange } from '@locks/core';
import type { SqlClient } from '../dialect/pools/client.ts';
import { toKeyState } from '../dialect/stores/key-state.ts';
import type {
  Attempt,
  Queue,
  LockStore,
  Released,
  Renewed,
  StoreListening,
  StoreOptions,
} from '../dialect/stores/lock-store.ts';
import type { ListedKeys } from '../dialect/stores/listed-keys.ts';
import type { Swept } from '../dialect/stores/store.ts';
import { Attempts } from './attempts.ts';
import { checkConnection } from './check-connection.ts';
import type { ConnectionFacts } from './check-connection.ts';
import type { MysqlConnection } from './connection/connection.ts';
import { hex, micros, placesOf, powerOfTwo } from './encoding.ts';
import { explain } from './connection/errors.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { textOf } from './connection/session.ts';
import { statements } from './statements.ts';
import { Procedure, assignedOf } from './procedure.ts';
import { ToldTurns } from './told-turns.ts';
import { createListening } from './listen.ts';
import type { Listening } from './listen.ts';

/** As many keys as one look at the queue asks for. */
const looksTogether = 256;

const unheard = 'a proxy stands before the server, or it is one of a cluster; set option "listen" to false';

export function createStore(client: SqlClient, options: StoreOptions): LockStore {
  return new MysqlStore(client, options);
}

/**
 * MariaDB and MySQL, through mysql2: what one statement on the key's row cannot decide, a stored
 * procedure does.
 */
class MysqlStore implements LockStore<MysqlConnection> {
  readonly pollInterval = 25;
  readonly explain = explain;
  readonly #options: StoreOptions;
  readonly #prepared: PreparedStatements<keyof typeof statements>;
  readonly #listening: Listening;
  readonly #told: ToldTurns;
  readonly #procedure: Procedure;
  readonly #attempts: Attempts;
  readonly listening: StoreListening<MysqlConnection> | undefined;
  readonly #facts = new WeakMap<MysqlConnection, ConnectionFacts>();

  constructor(client: SqlClient, options: StoreOptions) {
    this.#options = options;
    const { process, runtime, listen } = options;
    this.#listening = createListening(client, process, runtime);
    const told = new ToldTurns(runtime.clock);
    this.#told = told;
    if (listen) {
      this.listening = {
        listen: (heard, lost) => {
          const woken = (): void => {
            told.woken();
            heard('');
          };
          return this.#listening.listen(woken, lost);
        },
        echo: (connection) => this.#procedure.wake(connection, this.#listening.name),
        unheard,
        get lookInterval() {
          return told.lookInterval;
        },
      };
    }
    const prepared = new PreparedStatements(statements, options.names, options.timeout);
    this.#prepared = prepared;
    this.#procedure = new Procedure({ options, prepared, listening: this.#listening, told });
    this.#attempts = new Attempts(this.#procedure, options);
  }

  async checkConnection(connection: MysqlConnection): Promise<void> {
    const { names } = this.#options;
    const answer = this.#prepared.rowsOnce(connection, 'checkConnection', [`${names.table}_layout`]);
    const { home, ...facts } = await checkConnection(answer, this.#prepared.names);
    if (names.schema === undefined) this.#prepared.foundIn(home);
    this.#facts.set(connection, facts);
  }

  async acquireFree(connection: MysqlConnection, claim: Claim): Promise<bigint | undefined> {
    const { key, owner, ttl, floor = 0n } = claim;
    if (this.#clockMoves(connection)) {
      const values = [owner, `${floor}`, owner, micros(ttl), hex(key), this.#prepared.longestWait(ttl), owner];
      const token = await this.#prepared.changed(connection, 'acquireFree', values);
      if (token !== 0n) return token;
    }
    // A new key has no row. Without this the process would open its sessions for it, to wait.
    const mayOpen = this.listening !== undefined && this.#listening.name === this.#options.process;
    return mayOpen ? (await this.attempt(connection, claim, undefined, false)).token : undefined;
  }

  async attempt(
    connection: MysqlConnection,
    claim: Claim,
    queue: Queue | undefined,
    repeated: boolean,
  ): Promise<Attempt> {
    return await this.#attempts.attempt(connection, claim, queue, repeated);
  }

  async enterAll(connection: MysqlConnection, claims: readonly Claim[]): Promise<readonly (Attempt | LockError)[]> {
    return await this.#attempts.enterAll(connection, claims);
  }

  async renew(connection: MysqlConnection, claim: Claim, token: bigint | undefined): Promise<Renewed> {
    const raised = token === undefined ? null : `${token}`;
    if (claim.mode === 'exclusive' && this.#clockMoves(connection)) {
      const { key, owner, ttl } = claim;
      const values = [raised, micros(ttl), hex(key), this.#prepared.longestWait(), owner, raised];
      if ((await this.#prepared.changed(connection, 'renew', values)) !== 0n) return { renewed: true, turns: [] };
    }
    const { answer, turns } = await this.#procedure.act(connection, 'renew', claim, token);
    return { renewed: answer === '1', turns };
  }

  async release(connection: MysqlConnection, claim: Claim, inQueue: boolean): Promise<Released> {
    if (claim.mode === 'exclusive' && !inQueue && this.#clockMoves(connection)) {
      const values = [hex(claim.key), this.#prepared.longestWait(), claim.owner];
      if ((await this.#prepared.changed(connection, 'release', values)) !== 0n) return { freed: true, turns: [] };
    }
    const { answer, turns } = await this.#procedure.act(connection, 'release', claim, undefined);
    return { freed: answer === '1', turns };
  }

  async inspect(connection: MysqlConnection, key: string): Promise<KeyState> {
    const rows = await this.#prepared.rows(connection, 'inspect', [hex(key)]);
    return toKeyState(
      key,
      rows.map((row) => ({
        mode: textOf(row['mode']),
        owner: textOf(row['owner']),
        permits: Number(textOf(row['permits'])),
        token: BigInt(textOf(row['token'])),
        remaining: Number(textOf(row['remaining'])) / 1_000,
      })),
    );
  }

  async time(connection: MysqlConnection): Promise<number> {
    const [row] = await this.#prepared.rows(connection, 'time', []);
    return Number(textOf(row?.['time']));
  }

  list(...args: Parameters<LockStore<MysqlConnection>['list']>): Promise<ListedKeys> {
    return this.#prepared.list(...args);
  }

  readRegister(connection: MysqlConnection, name: string): Promise<string | undefined> {
    return this.#prepared.readRegister(connection, name);
  }

  changeRegister(connection: MysqlConnection, name: string, change: RegisterChange): Promise<boolean> {
    return this.#prepared.changeRegister(connection, name, change);
  }

  async turns(connection: MysqlConnection, keys: readonly string[]): Promise<readonly FoundTurn[]> {
    const { process } = this.#options;
    const found: FoundTurn[] = [];
    for (let start = 0; start < keys.length; start += looksTogether) {
      const some = keys.slice(start, start + looksTogether).map(hex);
      const asked = powerOfTwo(some);
      const values = [process, process, ...asked, process];
      const rows = await this.#prepared.rows(connection, 'turns', values, { keys: placesOf(asked) });
      for (const { owner, key, token, span } of rows) {
        if (owner === null) found.push(...(await this.#nextOf(connection, textOf(key))));
        else found.push({ owner: textOf(owner), assigned: assignedOf(token, span) });
      }
    }
    return this.#told.newOf(found);
  }

  async sweep(connection: MysqlConnection, retention: number, limit: number, after: string): Promise<Swept> {
    const last = await this.#prepared.endOfStretch(connection, after, limit);
    const values = [micros(retention), `${limit}`, after, last ?? null];
    const [row] = await this.#prepared.rows(connection, 'sweep', values);
    const removed = Number(textOf(row?.['swept']));
    // There may be more in this stretch.
    return { removed, next: removed === limit ? after : last };
  }

  /** The next in the queue of a key whose first has ended, if it is of this process. */
  async #nextOf(connection: MysqlConnection, hexKey: string): Promise<readonly FoundTurn[]> {
    const { process } = this.#options;
    // A release by an owner that has nothing settles the queue.
    const noClaim: Claim = { key: Buffer.from(hexKey, 'hex').toString(), owner: process, ttl: 1, mode: 'exclusive' };
    const { turns } = await this.#procedure.act(connection, 'release', noClaim, undefined);
    return turns.filter((turn) => turn.process === process);
  }

  /**
   * Where SYSDATE stands still, a statement that waited for a row cannot tell the time: procedures
   * can, which have more than one.
   */
  #clockMoves(connection: MysqlConnection): boolean {
    return this.#facts.get(connection)?.clockMoves === true;
  }
}
