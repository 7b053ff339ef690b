import { upgradeRefused } from '@locks/core/adapter';
import type { LockError } from '@locks/core/adapter';
import type { Claim, KeyState } from '@locks/core';
import type { SqlClient } from '../dialect/pools/client.ts';
import { toKeyState } from '../dialect/stores/key-state.ts';
import type { Attempt, Queue, LockStore, Released, Renewed, StoreOptions, Turn } from '../dialect/stores/lock-store.ts';
import { checkConnection } from './check-connection.ts';
import type { ConnectionFacts } from './check-connection.ts';
import type { PgConnection, Reply } from './connection/connection.ts';
import { createEachStore } from './each-store.ts';
import { bytes } from './encoding.ts';
import { explain, stateOf } from './connection/errors.ts';
import { createListening } from './listen.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { statements } from './statements.ts';
import { assignedOf, createTurnReader } from './turns.ts';

/** The state if a new row's token is not above those that the sweep has removed. */
const tokenSwept = 'LK001';

type Row = Reply['rows'][number];

/** Locks in the tables of Postgres, through `pg`. */
export function createStore(client: SqlClient, options: StoreOptions): LockStore {
  const { names, timeout, waiterTtl, runtime } = options;
  const process = runtime.uniqueId();
  const prepared = new PreparedStatements(statements, names, timeout);
  const listening = createListening(client, process);
  const tell = createTurnReader(prepared, process);

  async function check(connection: PgConnection): Promise<ConnectionFacts> {
    if (names.schema === undefined) {
      const [found] = await prepared.askAsConfigured(connection, 'findSchema');
      prepared.schema.found(found?.[0] ?? undefined);
    }
    return await checkConnection(prepared.ask(connection, 'checkConnection'), prepared.schema.names);
  }

  async function acquireFree(connection: PgConnection, claim: Claim): Promise<bigint | undefined> {
    const { key, owner, ttl, floor } = claim;
    const wait = prepared.limitOf(connection, ttl);
    const [row] = await prepared
      .ask(connection, 'acquireFree', bytes(key), owner, ttl, floor ?? 0n, wait)
      .catch((error: unknown) => {
        // The routine mints a token above all that were removed.
        if (stateOf(error) === tokenSwept) return [];
        throw error;
      });
    return row === undefined ? undefined : BigInt(row[0] ?? 0);
  }

  async function attempt(
    connection: PgConnection,
    claim: Claim,
    queue: Queue | undefined,
    repeated: boolean,
  ): Promise<Attempt> {
    const { key, owner, ttl, floor, mode } = claim;
    const permits = mode === 'shared' ? (claim.permits ?? 0) : null;
    const others = queue?.others ?? [];
    const wait = prepared.longestWait(ttl);
    const [row] = await prepared.ask(
      connection,
      'attempt',
      bytes(key),
      owner,
      ttl,
      floor ?? 0n,
      permits,
      queue !== undefined,
      listening.name,
      Math.ceil(waiterTtl),
      others,
      wait,
      repeated,
      sentNow(),
    );
    const [token, retryAfter, refusal, gone, ...turn] = row ?? [];
    const turns = await tell(connection, turn);
    if (refusal === 'upgrade') throw upgradeRefused(claim);
    const missing = typeof gone === 'string' ? (JSON.parse(gone) as readonly string[]) : [];
    return { ...toAttempt(token, retryAfter, turns), missing };
  }

  async function enterAll(
    connection: PgConnection,
    claims: readonly Claim[],
  ): Promise<readonly (Attempt | LockError)[]> {
    const { key } = claims[0] as Claim;
    const rows = await prepared.ask(
      connection,
      'enterAll',
      bytes(key),
      claims.map(({ owner }) => owner),
      claims.map(({ ttl }) => `${ttl}`),
      claims.map(({ floor }) => `${floor ?? 0n}`),
      listening.name,
      Math.ceil(waiterTtl),
      prepared.longestWait(Math.min(...claims.map(({ ttl }) => ttl))),
      sentNow(),
    );
    const answers: (Attempt | LockError)[] = [];
    for (const [index, claim] of claims.entries()) {
      const [token, retryAfter, refusal, ...turn] = rows[index] ?? [];
      const turns = await tell(connection, turn);
      answers.push(refusal === 'upgrade' ? upgradeRefused(claim) : toAttempt(token, retryAfter, turns));
    }
    return answers;
  }

  async function renew(connection: PgConnection, claim: Claim, token: bigint | undefined): Promise<Renewed> {
    const { owner, ttl, mode } = claim;
    const key = bytes(claim.key);
    if (mode === 'exclusive') {
      const [row] = await prepared.ask(
        connection,
        'renew',
        key,
        owner,
        ttl,
        token ?? null,
        prepared.limitOf(connection, ttl),
      );
      if (row !== undefined) return { renewed: true, turns: [] };
    }
    const [row] = await prepared.ask(
      connection,
      'renewAny',
      key,
      owner,
      ttl,
      token ?? null,
      listening.name,
      Math.ceil(waiterTtl),
      prepared.longestWait(ttl),
    );
    const [renewed, ...turn] = row ?? [];
    return { renewed: renewed === 't', turns: await tell(connection, turn) };
  }

  async function release(connection: PgConnection, claim: Claim, inQueue: boolean): Promise<Released> {
    const { owner, mode } = claim;
    const key = bytes(claim.key);
    if (mode === 'exclusive' && !inQueue) {
      const [row] = await prepared.ask(connection, 'release', key, owner, prepared.limitOf(connection));
      if (row !== undefined) return { freed: true, turns: [] };
    }
    const [row] = await prepared.ask(
      connection,
      prepared.encloses(connection) ? 'releaseAny' : 'releaseAndTell',
      key,
      owner,
      listening.name,
      Math.ceil(waiterTtl),
      prepared.longestWait(),
    );
    const [freed, ...turn] = row ?? [];
    return { freed: freed === 't', turns: await tell(connection, turn) };
  }

  function sentNow(): string {
    return `${Math.floor(runtime.clock.exact())}`;
  }

  async function inspect(connection: PgConnection, key: string): Promise<KeyState> {
    const rows = await prepared.ask(connection, 'inspect', bytes(key));
    return toKeyState(
      key,
      rows.map(([mode, owner, permits, token, remaining]) => ({
        mode: mode ?? '',
        owner: owner ?? '',
        permits: Number(permits),
        token: BigInt(token ?? 0),
        remaining: Number(remaining),
      })),
    );
  }

  const store: LockStore<PgConnection> = {
    process,
    each: createEachStore(prepared),
    checkConnection: (connection) => prepared.check(connection, () => check(connection)),
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
      const rows = await prepared.ask(connection, 'turns', keys.map(bytes), process);
      return rows.map(([owner, token, span]) => ({ owner: owner ?? '', assigned: assignedOf(token, span) }));
    },
    sweep: (...args) => prepared.sweep(...args),
    explain,
    listening: options.listen
      ? {
          listen: (...args) => listening.listen(...args),
          async echo(connection) {
            await prepared.ask(connection, 'echo', listening.name);
          },
          unheard: 'a pooler lends the connection that listens to others; set option "listen" to false',
        }
      : undefined,
  };
  return store;
}

function toAttempt(
  token: Row[number] | undefined,
  retryAfter: Row[number] | undefined,
  turns: readonly Turn[],
): Attempt {
  if (typeof token === 'string') return { token: BigInt(token), turns };
  return { token: undefined, retryAfter: Number(retryAfter), turns };
}
