import { permitsRefused, upgradeRefused } from '@locks/core/adapter';
import type { Claim, Holder, KeyState } from '@locks/core';
import { DefaultSchema } from '../dialect/default-schema.ts';
import type { KnexClient } from '../dialect/knex.ts';
import { looksPerRemoval } from '../dialect/lock-store.ts';
import type { Attempt, Line, LockStore, Released, Renewed, StoreOptions, Turn } from '../dialect/lock-store.ts';
import { rendered } from '../dialect/names.ts';
import { TransactionOpen } from '../dialect/transaction-open.ts';
import { abandon } from './cancel.ts';
import { checkConnection } from './check-connection.ts';
import type { PgConnection, Reply, Value } from './connection.ts';
import { bytes, firstAfter } from './encoding.ts';
import { canRepeat, explain, isBroken, isInTransaction, stateOf } from './errors.ts';
import { listen } from './listen.ts';
import { Sessions, statement } from './session.ts';
import type { Statement } from './session.ts';
import { statements } from './statements.ts';
import { watchStatus } from './transaction-status.ts';

/** The state in which a new row's token is not above those that the sweep has removed. */
const tokenSwept = 'LK001';

type Row = Reply['rows'][number];

/** Locks in the tables of Postgres, through `pg`. */
export function createStore(client: KnexClient, options: StoreOptions): LockStore {
  const { fair, waiterTtl, timeout, process } = options;
  const sessions = new Sessions(timeout);
  const schema = new DefaultSchema(options.names);
  const prepareAll = (): Readonly<Record<keyof typeof statements, Statement>> => {
    const all = Object.entries(statements).map(([name, text]) => [
      name,
      statement(name, rendered(text, schema.names, '"')),
    ]);
    return Object.fromEntries(all) as Readonly<Record<keyof typeof statements, Statement>>;
  };
  let prepared = prepareAll();
  /** Without a schema: where this connection would find the tables. */
  const { findSchema } = prepared;
  const limit = Math.ceil(timeout);
  /** After how many ms the server ends a statement of a connection anyway. */
  const ends = new WeakMap<PgConnection, number>();

  /**
   * How long a statement may wait for a row: what takes effect later would outlive the caller's
   * belief in it. Setting a limit takes its time.
   */
  function waitOf(connection: PgConnection, most: number): number | null {
    return (ends.get(connection) ?? Infinity) <= most ? null : most;
  }

  async function ask(connection: PgConnection, what: Statement, ...values: readonly Value[]): Promise<Reply['rows']> {
    return await sessions.send(connection, what, values);
  }

  async function checkNew(connection: PgConnection): Promise<void> {
    watchStatus(connection);
    try {
      if (options.names.schema === undefined) {
        const [found] = await ask(connection, findSchema);
        schema.found(found?.[0] ?? undefined);
        prepared = prepareAll();
      }
      const answer = ask(connection, prepared.checkConnection);
      const { endsAfter, readCommitted } = await checkConnection(answer, schema.names);
      ends.set(connection, endsAfter);
      if (!readCommitted) sessions.enclose(connection);
    } catch (error) {
      // What was sent changes nothing.
      throw error instanceof TransactionOpen ? new TransactionOpen(false) : error;
    }
  }

  async function acquireFree(connection: PgConnection, claim: Claim): Promise<bigint | undefined> {
    const { key, owner, ttl, floor } = claim;
    const wait = waitOf(connection, Math.min(limit, ttl));
    const [row] = await ask(connection, prepared.acquireFree, bytes(key), owner, ttl, floor ?? 0n, wait).catch(
      (error: unknown) => {
        // The routine mints a token above all that were removed.
        if (stateOf(error) === tokenSwept) return [];
        throw error;
      },
    );
    return row === undefined ? undefined : BigInt(row[0] ?? 0);
  }

  async function attempt(connection: PgConnection, claim: Claim, line: Line | undefined): Promise<Attempt> {
    const { key, owner, ttl, floor, mode } = claim;
    const permits = mode === 'shared' ? (claim.permits ?? 0) : null;
    const others = line?.others ?? [];
    const wait = Math.min(limit, ttl);
    const [row] = await ask(
      connection,
      prepared.attempt,
      bytes(key),
      owner,
      ttl,
      floor ?? 0n,
      permits,
      fair,
      line !== undefined,
      process,
      Math.ceil(waiterTtl),
      others,
      wait,
    );
    const [token, retryAfter, refusal, inUse, ...turn] = row ?? [];
    if (refusal === 'upgrade') throw upgradeRefused(claim);
    if (refusal === 'permits') throw permitsRefused(claim, Number(inUse) || undefined);
    const turns = toTurns(turn);
    if (typeof token === 'string') return { token: BigInt(token), turns };
    return { token: undefined, retryAfter: Number(retryAfter), turns };
  }

  async function renew(connection: PgConnection, claim: Claim, token: bigint | undefined): Promise<Renewed> {
    const { owner, ttl, mode } = claim;
    const key = bytes(claim.key);
    const wait = Math.min(limit, ttl);
    if (mode === 'exclusive') {
      const [row] = await ask(connection, prepared.renew, key, owner, ttl, token ?? null, waitOf(connection, wait));
      if (row !== undefined) return { renewed: true, turns: [] };
    }
    const [row] = await ask(connection, prepared.renewAny, key, owner, ttl, token ?? null, process, wait);
    const [renewed, ...turn] = row ?? [];
    return { renewed: renewed === 't', turns: toTurns(turn) };
  }

  async function release(connection: PgConnection, claim: Claim): Promise<Released> {
    const { owner, mode } = claim;
    const key = bytes(claim.key);
    let freed = false;
    if (mode === 'exclusive') {
      const [row] = await ask(connection, prepared.release, key, owner, process, waitOf(connection, limit));
      freed = row !== undefined;
      if (row !== undefined && row[2] !== 't') return { freed, turns: toTurns(row) };
    }
    const [row] = await ask(connection, prepared.releaseAny, key, owner, process, limit);
    const [freedNow, ...turn] = row ?? [];
    return { freed: freed || freedNow === 't', turns: toTurns(turn) };
  }

  async function inspect(connection: PgConnection, key: string): Promise<KeyState> {
    const holders: Holder[] = [];
    let waiters = 0;
    for (const [mode, owner, token, remaining] of await ask(connection, prepared.inspect, bytes(key))) {
      if (mode === 'exclusive' || mode === 'shared') {
        holders.push({ owner: owner ?? '', mode, token: BigInt(token ?? 0), remaining: Number(remaining) });
      } else {
        waiters = Number(token);
      }
    }
    return { key, holders, waiters };
  }

  const store: LockStore<PgConnection> = {
    name: 'postgres',
    scope: 'network',
    pollInterval: 25,
    checkConnection: checkNew,
    acquireFree,
    attempt,
    renew,
    release,
    inspect,
    async list(connection, prefix, after, most) {
      const from = after === undefined ? bytes(prefix) : Buffer.concat([bytes(after), Buffer.of(0)]);
      const rows = await ask(connection, prepared.list, from, firstAfter(bytes(prefix)), most);
      return rows.map(([key]) => Buffer.from(key ?? '', 'hex').toString());
    },
    async turns(connection, keys) {
      const rows = await ask(connection, prepared.turns, keys.map(bytes), process);
      return rows.map(([owner]) => owner ?? '');
    },
    async sweep(connection, retention, most, after) {
      const from = Buffer.from(after, 'hex');
      const [row] = await ask(connection, prepared.sweep, Math.ceil(retention), most, from, most * looksPerRemoval);
      const removed = Number(row?.[0]);
      // There may be more in this stretch.
      return { removed, next: removed === most ? after : (row?.[1] ?? undefined) };
    },
    canRepeat,
    isInTransaction,
    isBroken,
    discard: abandon,
    explain,
    async echo(connection) {
      await ask(connection, prepared.echo, process);
    },
    listen: options.listen ? (heard, lost) => listen(client, process, heard, lost) : undefined,
  };
  // The connections come from the pool of a client whose driver is pg.
  return store;
}

function toTurns([process, owner]: Row): readonly Turn[] {
  return typeof process === 'string' && typeof owner === 'string' ? [{ process, owner }] : [];
}
