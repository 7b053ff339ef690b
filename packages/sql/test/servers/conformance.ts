import { closing } from '@locks/test-servers';
import type { DisturbedProvider, Faults, LeakCounts } from '@locks/conformance';
import { proxiedProviders } from '@locks/conformance/faults';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import type { Proxy, ServerHandle } from '@locks/test-servers';
import { afterAll } from 'vitest';
import { createSqlProvider, fromConfig, removeTables } from '../../src/index.ts';
import type { SqlOptions } from '../../src/index.ts';
import { rendered } from '../../src/dialect/layout/names.ts';
import { createTables, rowsOf } from '../support/databases.ts';
import { openKnex } from '../support/open-knex.mjs';
import type { Chosen } from '../../../conformance/test/support/selection.ts';

/** What the conformance suite has to know of a kind of server, beyond what other tests do. */
export interface ConformingKind {
  startServer(): Promise<ServerHandle>;
  /**
   * The URL of a user without a password. Each login sends the server the same bytes.
   */
  openTo(server: ServerHandle): Promise<string>;
  /**
   * Drops the next answer that says that a call of a provider has taken effect, and cuts its
   * connection.
   */
  dropReply(proxy: Proxy): void;
  /** With what it quotes names. */
  readonly quote: '"' | '`';
  /** The statement that removes what has lapsed. */
  readonly sweep?: string;
  /** Counts what a provider has left. It may leave rows of free keys, and nothing else. */
  readonly left: string;
  /** How long a call may take unless a file says otherwise, in ms. */
  readonly timeout: number;
  /** How many connections a provider has. */
  readonly poolSize: number;
}

/** Makes the provider on the server at `address`. */
export type Make = (
  address: string,
  options: SqlOptions,
  conforming: ConformingKind,
) => LockProvider | Promise<LockProvider>;

/** A server of the caller's own, which it stops, with the tables. */
export interface OwnServer {
  readonly server: ServerHandle;
  /** The URL of a user without a password. */
  readonly url: string;
  /** Providers on it, each made by `make` at the address of a proxy of its own. */
  breakable(
    make: (address: string) => LockProvider | Promise<LockProvider>,
  ): DisturbedProvider & { readonly faults: Faults };
}

/** Starts a server. It has the tables. */
export async function startOwn(
  { startServer, openTo, dropReply }: ConformingKind,
  { table, schema, routines }: SqlOptions = {},
): Promise<OwnServer> {
  const server = await startServer();
  const url = await openTo(server);
  const prepare = (): Promise<void> => createTables(url, { table, schema, routines });
  /** Takes from the server what it knows of locks. */
  const forget = async (): Promise<void> => {
    if (routines !== false) return await removeTables({ url, options: { table, schema }, runtime: systemRuntime });
    const knex = openKnex(url);
    await knex.raw('DROP TABLE locks');
    await knex.destroy();
  };
  await prepare();
  return {
    server,
    url,
    breakable(make) {
      const proxied = proxiedProviders({ target: server, make: (proxy) => make(proxy.url(url)), dropReply });
      const faults: Faults = {
        // A connection and its double begin with the same bytes. From then on two sessions execute
        // every statement. The answer of either may come back.
        ...proxied.faults,
        async pause() {
          await server.pause();
          return () => server.resume();
        },
        restart: () => server.restart(),
        async restartEmpty() {
          // No client may meet a server without tables: it would say that its operator made a
          // mistake.
          const { proxies } = proxied;
          const reachable = proxies.map((proxy) => proxy.refuse());
          await Promise.all(proxies.map((proxy) => proxy.cut()));
          // Making a server from nothing takes longer than the checks wait; what it knew of locks
          // is as gone with their tables.
          await forget();
          await server.restart();
          await prepare();
          for (const end of reachable) end();
        },
      };
      return { create: proxied.create, faults };
    },
  };
}

/**
 * Registers the suite, or those that `only` chooses. It has a server of its own, which it breaks
 * while other files run.
 */
export async function suite(
  conforming: ConformingKind,
  name: string,
  make: Make,
  options: SqlOptions,
  only?: Chosen,
): Promise<void> {
  const { quote, timeout } = conforming;
  const names = { table: options.table ?? 'locks', schema: options.schema };
  const { server, url, breakable: hurt } = await startOwn(conforming, options);
  const observer = openKnex(server.url, { pool: { min: 0, max: 1 } });
  afterAll(async () => {
    await observer.destroy();
    await server.stop();
  });
  // Positions in the queue that last shorter than by default: several requirements wait for one to
  // lapse.
  const all = { timeout, waiterTtl: 3_000, ...options };
  const { create, faults } = hurt((address) => make(address, all, conforming));

  async function left(): Promise<LeakCounts> {
    // Lapsed rows stay until a client asks for their key, or the sweep comes.
    if (conforming.sweep !== undefined) await observer.raw(rendered(conforming.sweep, names, quote));
    const [counts] = await rowsOf(observer.raw(rendered(conforming.left, names, quote)));
    return counts as LeakCounts;
  }

  conformanceTests({
    name,
    create,
    createOther: () => make(url, { ...all, waiterTtl: 600 }, conforming),
    faults,
    processes: { module: new URL('process.mjs', import.meta.url), args: { url, options: all } },
    leaks: left,
    only,
  });
}

/** With a knex instance of the caller, which destroys it. */
export const over: Make = (address, options, { poolSize }) => {
  const instance = openKnex(address, { pool: { min: 0, max: poolSize } });
  return closing(createSqlProvider(instance, options), () => instance.destroy());
};

/** With a pool that comes from configuration. */
export const configured: Make = (address, options, { poolSize }) =>
  fromConfig({ url: address, options: { ...options, pool: poolSize }, runtime: systemRuntime });
