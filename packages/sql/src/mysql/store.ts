import { LockError, upgradeRefused } from '@locks/core/adapter';
import type { FoundTurn } from '@locks/core/adapter';
import type { Claim, KeyState } from '@locks/core';
import type { SqlClient } from '../dialect/pools/client.ts';
import { toKeyState } from '../dialect/stores/key-state.ts';
import type { Attempt, LockStore, Queue, Released, Renewed, StoreOptions } from '../dialect/stores/lock-store.ts';
import { sessionMark } from '../dialect/stores/process-name.ts';
import { checkConnection } from './check-connection.ts';
import type { MysqlConnection } from './connection/connection.ts';
import { explain } from './connection/errors.ts';
import { changed, rowsOfText, textOf } from './connection/session.ts';
import { hex, micros, placesOf, powerOfTwo } from './encoding.ts';
import { createListening } from './listen.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { assignedOf, createAct } from './procedure.ts';
import type { Answer } from './procedure.ts';
import { statements } from './statements.ts';
import { ToldTurns } from './told-turns.ts';

/** How many keys one poll of the queue reads. */
const looksTogether = 256;

/**
 * Locks in the tables of MariaDB and MySQL, through mysql2: a stored procedure decides what one
 * statement on the key's row cannot.
 */
export function createStore(client: SqlClient, options: StoreOptions): LockStore {
  const { names, timeout, waiterTtl, runtime } = options;
  const process = runtime.uniqueId();
  const prepared = new PreparedStatements(statements, names, timeout);
  const listening = createListening(client, process, runtime);
  const told = new ToldTurns(runtime.clock);
  const act = createAct({ process, waiterTtl, prepared, listening, told });
  /**
   * If SYSDATE is constant within a statement, one that waited for a row cannot read the time.
   * Procedures can, as they have several statements.
   */
  const clockMoves = new WeakSet<MysqlConnection>();

  async function check(connection: MysqlConnection): Promise<void> {
    const answer = rowsOfText(connection, prepared.text('checkConnection'), [`${names.table}_layout`]);
    const facts = await checkConnection(answer, prepared.schema.names);
    if (names.schema === undefined) prepared.schema.found(facts.home);
    if (facts.clockMoves) clockMoves.add(connection);
  }

  async function acquireFree(connection: MysqlConnection, claim: Claim): Promise<bigint | undefined> {
    const { key, owner, ttl, floor = 0n } = claim;
    if (clockMoves.has(connection)) {
      const values = [owner, `${floor}`, owner, micros(ttl), hex(key), prepared.longestWait(ttl), owner];
      const token = await changed(connection, prepared.text('acquireFree'), values);
      if (token !== 0n) return token;
    }
    // A new key has no row. Otherwise the process would open its sessions for it, to wait.
    const mayOpen = options.listen && listening.name === process;
    return mayOpen ? (await attempt(connection, claim, undefined, false)).token : undefined;
  }

  async function attempt(
    connection: MysqlConnection,
    claim: Claim,
    queue: Queue | undefined,
    repeated: boolean,
  ): Promise<Attempt> {
    const answer = await act(connection, 'acquire', claim, claim.floor ?? 0n, queue, repeated);
    const entered = toAttempt(claim, answer);
    if (entered instanceof LockError) throw entered;
    return { ...entered, missing: answer.missing };
  }

  async function enterAll(
    connection: MysqlConnection,
    claims: readonly Claim[],
  ): Promise<readonly (Attempt | LockError)[]> {
    const [first, ...rest] = claims as readonly [Claim, ...Claim[]];
    const queue = { process, others: [], joining: rest.map(({ owner }) => owner) };
    const answer = await act(connection, 'acquire', first, first.floor ?? 0n, queue);
    const refresh = Math.floor(waiterTtl / 3);
    // The next in the queue polls when the hold ends.
    const looks = answer.outcome === 'granted' ? first.ttl : refresh;
    const behind = { token: undefined, retryAfter: Math.min(refresh, looks), turns: [] };
    const answers: (Attempt | LockError)[] = [toAttempt(first, answer)];
    for (const claim of rest) {
      if (!answer.missing.includes(claim.owner)) answers.push(behind);
      else answers.push(await attempt(connection, claim, { process, others: [] }, false).catch(refusal));
    }
    return answers;
  }

  async function renew(connection: MysqlConnection, claim: Claim, token: bigint | undefined): Promise<Renewed> {
    const { key, owner, ttl, mode } = claim;
    if (mode === 'exclusive' && clockMoves.has(connection)) {
      const raised = token === undefined ? null : `${token}`;
      const values = [raised, micros(ttl), hex(key), prepared.longestWait(), owner, raised];
      if ((await changed(connection, prepared.text('renew'), values)) !== 0n) return { renewed: true, turns: [] };
    }
    const { answer, turns } = await act(connection, 'renew', claim, token);
    return { renewed: answer === '1', turns };
  }

  async function release(connection: MysqlConnection, claim: Claim, inQueue: boolean): Promise<Released> {
    const { key, owner, mode } = claim;
    if (mode === 'exclusive' && !inQueue && clockMoves.has(connection)) {
      const values = [hex(key), prepared.longestWait(), owner];
      if ((await changed(connection, prepared.text('release'), values)) !== 0n) return { freed: true, turns: [] };
    }
    const { answer, turns } = await act(connection, 'release', claim, undefined);
    return { freed: answer === '1', turns };
  }

  async function inspect(connection: MysqlConnection, key: string): Promise<KeyState> {
    const rows = await prepared.rows(connection, 'inspect', [hex(key)]);
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

  /** The next in the queue of a key whose first has ended, if it is of this process. */
  async function nextOf(connection: MysqlConnection, hexKey: string): Promise<readonly FoundTurn[]> {
    // A release by an owner without a claim settles the queue.
    const noClaim: Claim = { key: Buffer.from(hexKey, 'hex').toString(), owner: process, ttl: 1, mode: 'exclusive' };
    const { turns } = await act(connection, 'release', noClaim, undefined);
    return turns.filter((turn) => turn.process === process);
  }

  const store: LockStore<MysqlConnection> = {
    process,
    checkConnection: check,
    acquireFree,
    attempt,
    enterAll,
    renew,
    release,
    inspect,
    list: (...args) => prepared.list(...args),
    readRegister: (...args) => prepared.readRegister(...args),
    changeRegister: (...args) => prepared.changeRegister(...args),
    time: (connection) => prepared.time(connection),
    async turns(connection, keys) {
      const found: FoundTurn[] = [];
      for (let start = 0; start < keys.length; start += looksTogether) {
        const asked = powerOfTwo(keys.slice(start, start + looksTogether).map(hex));
        const values = [process, process, ...asked, process];
        const rows = await prepared.rows(connection, 'turns', values, { keys: placesOf(asked) });
        for (const { owner, key, token, span } of rows) {
          if (owner === null) found.push(...(await nextOf(connection, textOf(key))));
          else found.push({ owner: textOf(owner), assigned: assignedOf(token, span) });
        }
      }
      return told.newOf(found);
    },
    async sweep(connection, retention, most, after) {
      const last = await prepared.endOfStretch(connection, after, most);
      const [row] = await prepared.rows(connection, 'sweep', [micros(retention), `${most}`, after, last ?? null]);
      const removed = Number(textOf(row?.['swept']));
      // This range may have more.
      return { removed, next: removed === most ? after : last };
    },
    explain,
    listening: options.listen
      ? {
          listen(heard, lost) {
            const woken = (): void => {
              told.woken();
              heard('');
            };
            return listening.listen(woken, lost);
          },
          ended: () => listening.ended(),
          /** Ends the wait of its session, as the routine does for others. */
          async echo(connection) {
            const { name } = listening;
            // Not prepared, as not every server supports that.
            if (name.includes(sessionMark)) await rowsOfText(connection, prepared.text('wake', { session: hex(name) }));
          },
          unheard: 'there is a proxy in front of the server, or it is in a cluster; set option "listen" to false',
          get lookInterval() {
            return told.lookInterval;
          },
        }
      : undefined,
  };
  return store;
}

function toAttempt(claim: Claim, { outcome, answer, turns }: Answer): Attempt | LockError {
  switch (outcome) {
    case 'granted':
      return { token: BigInt(answer), turns };
    case 'busy':
      return { token: undefined, retryAfter: Number(answer), turns };
    case 'upgrade':
      return upgradeRefused(claim);
    default:
      throw new Error(`the procedure answered ${outcome}`);
  }
}

/** The refusal of one claim. @throws any other error, which concerns all claims. */
function refusal(error: unknown): LockError {
  if (error instanceof LockError) return error;
  throw error;
}
