import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { basename, dirname } from 'node:path';
import { misconfigured } from '@locks/core/adapter';
import { encoded } from '../executed.ts';
import { guardStream } from '../whole-messages.ts';
import type { PgSession, Query, Reply } from '../../connection/connection.ts';
import type { ExecutedValue } from '../executed.ts';

/** The parsed options of `postgres`, which it accepts again. */
export interface PostgresJsOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Of a Unix socket. */
  readonly path?: string | false | undefined;
  readonly max: number;
  readonly prepare?: boolean;
  readonly connect_timeout?: number | null;
  readonly socket?: ((options: unknown) => Socket | Promise<Socket>) | undefined;
  readonly ssl?: unknown;
  readonly shared: object;
}

/** A query of `postgres`, sent when awaited. */
interface Pending<Row> extends PromiseLike<
  readonly Row[] & { readonly columns?: readonly { readonly name: string }[] | null }
> {
  /** Rows as arrays of the server's bytes. */
  raw(): Pending<readonly (Buffer | null)[]>;
  /** Identifies the connection to the server, once the query was sent. */
  readonly state: { readonly pid: number | null; readonly secret: number | null } | null;
}

/** The members of an instance of `postgres` that send a text. */
export interface PostgresJsSender {
  unsafe(text: string, values?: ExecutedValue[], options?: { readonly prepare: boolean }): Pending<object>;
}

/** An own instance of `postgres` with one connection. */
interface Instance extends PostgresJsSender {
  end(options: { readonly timeout: number }): Promise<void>;
}

type Listeners = Readonly<Record<'end' | 'error' | 'notification', (message: { readonly payload?: string }) => void>>;

const rowsChanged =
  'option "transform" of postgres changes the rows; pass an instance, or a transaction of one, whose "transform" has no "row"';

/** Sends `query` over an instance with one connection at this time. */
export async function send(sender: PostgresJsSender, query: Query | string): Promise<Reply> {
  return (await sending(sender, query)).reply;
}

async function sending(
  sender: PostgresJsSender,
  query: Query | string,
): Promise<{ reply: Reply; state: Pending<object>['state'] }> {
  const { text, values, name } = typeof query === 'string' ? { text: query, values: [], name: undefined } : query;
  const pending = sender.unsafe(text, values.map(encoded), { prepare: name !== undefined }).raw();
  const rows = await pending;
  if (rows.some((row) => !Array.isArray(row))) throw misconfigured('@locks/sql', rowsChanged);
  return {
    state: pending.state,
    reply: {
      fields: rows.columns ?? [],
      rows: rows.map((row) => row.map((value) => value?.toString() ?? null)),
    },
  };
}

/**
 * Opens one connection with the library and the options of its owner. The library replaces a lost
 * connection, over which work of the lost one must not continue, so such an instance is no longer
 * used.
 */
export async function openConnection(
  postgres: (options: object) => unknown,
  options: PostgresJsOptions,
): Promise<PgSession> {
  const listeners = new Map<string, ((message: never) => void)[]>();
  const tell = <Event extends keyof Listeners>(event: Event, message: Parameters<Listeners[Event]>[0]): void => {
    for (const listener of listeners.get(event) ?? []) (listener as Listeners[Event])(message);
  };
  let socket: Socket | undefined;
  let attempts = 0;
  let over = false;
  const instance = postgres({
    ...options,
    max: 1,
    // With several, the library does not report a failure. The next host is tried here.
    host: options.host.slice(0, 1),
    port: options.port.slice(0, 1),
    // Each is for one connection. This one does not end while idle, as it may listen.
    shared: { retries: 0, typeArrayMap: {} },
    parameters: {},
    idle_timeout: null,
    max_lifetime: null,
    fetch_types: false,
    debug: false,
    transform: { column: {}, value: {}, row: {} },
    serializers: { 16: (value: boolean) => (value ? 't' : 'f'), 17: (value: Buffer) => `\\x${value.toString('hex')}` },
    onnotice() {},
    onparameter: undefined,
    onnotify: (_channel: string, payload: string) => tell('notification', { payload }),
    onclose() {
      over = true;
      tell('end', {});
    },
    socket: async () => {
      if (over) throw new Error('the connection is over');
      socket = await openSocket(options, attempts++);
      // Through TLS, the library reads from another socket.
      if (!options.ssl) guardStream(socket);
      return socket;
    },
  }) as Instance;
  let known: Pending<object>['state'] = null;
  const ask = async (query: Query | string): Promise<Reply> => {
    if (over) throw new Error('the connection to Postgres has ended');
    const { reply, state } = await sending(instance, query);
    known = state;
    return reply;
  };
  const end = async (): Promise<void> => {
    over = true;
    // Its server may never answer.
    socket?.unref();
    await instance.end({ timeout: 0 }).catch(() => {});
  };
  const patience = patienceOf(options) * options.host.length;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no connection to Postgres within ${patience} ms`)), patience);
  });
  try {
    await Promise.race([ask('SELECT 1'), late]);
  } catch (error) {
    await end();
    socket?.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  const { path, host, port } = options;
  return {
    query: options.prepare === false ? (query) => ask(unprepared(query)) : ask,
    on(event: string, listener: (message: never) => void) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
    end,
    // The target of a cancel request.
    host: path ? dirname(path) : (socket?.remoteAddress ?? host[0] ?? ''),
    port: path ? Number(basename(path).split('.').at(-1)) : (socket?.remotePort ?? port[0] ?? 0),
    get processID() {
      return known?.pid ?? null;
    },
    get secretKey() {
      // The library reads it without its sign.
      const secret = known?.secret ?? null;
      return secret === null ? null : secret | 0;
    },
    connection: { stream: socket as unknown as Socket },
  };
}

function unprepared(query: Query | string): Query | string {
  if (typeof query === 'string') return query;
  const { name: _, ...rest } = query;
  return rest;
}

/** The library's default time limit for connecting, in s. */
const usualPatience = 30;

/** For one host, in ms. */
function patienceOf({ connect_timeout: seconds }: PostgresJsOptions): number {
  return (typeof seconds === 'number' && seconds > 0 ? seconds : usualPatience) * 1_000;
}

/**
 * A socket to the first host that answers. Each attempt starts with another one, as the previous
 * may be a standby.
 */
async function openSocket(options: PostgresJsOptions, attempt: number): Promise<Socket> {
  const { path, host, port } = options;
  if (options.socket !== undefined) return await options.socket(options);
  const patience = patienceOf(options);
  if (path) return await connected(connect(path), patience);
  let failure: unknown;
  for (const tried of host.keys()) {
    const index = (tried + attempt) % host.length;
    const name = host[index] ?? '';
    try {
      const socket = await connected(connect({ host: name, port: port[index] ?? port[0] ?? 5432 }), patience);
      // For the name in the certificate.
      return Object.assign(socket, { host: name });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function connected(socket: Socket, patience: number): Promise<Socket> {
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(patience) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
