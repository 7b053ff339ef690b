import { closing } from '@locks/test-servers';
import type { LeakCounts } from '@locks/conformance';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import type { Proxy, ServerHandle } from '@locks/test-servers';
import { afterAll } from 'vitest';
import { createSqlProvider, fromConfig } from '../../src/index.ts';
import type { SqlOptions } from '../../src/index.ts';
import { rendered } from '../../src/dialect/layout/names.ts';
import type { TableNames } from '../../src/dialect/layout/names.ts';
import { rowsOf } from '../support/databases.ts';
import type { Chosen } from '../../../conformance/test/support/selection.ts';
import { breakable } from './breakable.ts';
import type { Breakable } from './breakable.ts';
import type { Kind } from './kind.ts';
import { openKnex } from './open-knex.ts';

/** What the conformance suite has to know of a kind of server, beyond what other tests do. */
export interface ConformingKind {
  readonly kind: Kind;
  /**
   * The URL of a user without a password. Each login sends the server the same bytes.
   */
  openTo(server: ServerHandle): Promise<string>;
  /** Removes the tables. */
  forget(url: string, names: TableNames): Promise<void>;
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
  /** Providers on it that can be hurt one by one, each made by `connect` at its address. */
  breakable(connect: (address: string) => LockProvider | Promise<LockProvider>): Breakable;
}

/** Starts a server. It has the tables. */
export async function startOwn(conforming: ConformingKind, { table, schema }: SqlOptions = {}): Promise<OwnServer> {
  const { kind } = conforming;
  const names = { table: table ?? 'locks', schema };
  const server = await kind.startServer();
  const url = await conforming.openTo(server);
  const prepare = (): Promise<void> => kind.createTables(url, names);
  await prepare();
  return {
    server,
    url,
    breakable: (make) =>
      breakable({
        server,
        url,
        dropReply: (proxy) => conforming.dropReply(proxy),
        forget: () => conforming.forget(url, names),
        prepare,
        make,
      }),
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
  const { kind, quote, timeout } = conforming;
  const names = { table: options.table ?? 'locks', schema: options.schema };
  const { server, url, breakable: hurt } = await startOwn(conforming, options);
  const observer = openKnex(kind.client, server.url, { min: 0, max: 1 });
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
export const over: Make = (address, options, { kind, poolSize }) => {
  const instance = openKnex(kind.client, address, { min: 0, max: poolSize });
  return closing(createSqlProvider(instance, options), () => instance.destroy());
};

/** With a pool that comes from configuration. */
export const configured: Make = (address, options, { poolSize }) =>
  fromConfig({ url: address, options: { ...options, pool: poolSize }, runtime: systemRuntime });
