import { LockError, anyText, askOptions, secretText, tlsAnswer } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { SqlClient } from './client.ts';
import { textOf } from '../errors/call-error.ts';
import type { ConnectionOptions } from './own-pool.ts';
import type { ServerAddress } from './server-url.ts';

/** The credentials of a connection. */
export interface Credentials {
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** The options of `tls.connect`; `undefined`: no TLS. */
  readonly tls: object | undefined;
}

/** Whether each connection may have different ones. */
export function change({ user, password, tls }: ConnectionOptions): boolean {
  return [user, password, tls].some((option) => typeof option === 'function');
}

/**
 * The credentials of the next connection: functions are called again.
 * @throws `LOCK_UNAVAILABLE` and `LOCK_MISCONFIGURED`, as `askOption` does.
 */
export async function askCredentials(
  { user, password, tls, connectTimeout }: ConnectionOptions,
  address: ServerAddress,
  runtime: Runtime,
): Promise<Credentials> {
  const readers = { username: anyText, password: secretText, tls: tlsAnswer };
  const asking = { where: '@locks/sql', runtime, within: connectTimeout };
  const shown = await askOptions({ username: user, password, tls }, readers, asking);
  return {
    user: shown.username ?? address.user,
    password: shown.password ?? address.password,
    tls: shown.tls === true ? {} : shown.tls,
  };
}

/** How an own pool gets credentials. */
export interface Showing {
  ask(): Promise<Credentials>;
  /** Sets the credentials of the pool's next connections. */
  show(credentials: Credentials): void;
  /** Whether the pool may open a connection for the next request. */
  mayOpen(): boolean;
  /** Whether the server has refused the credentials. */
  isRefused(error: unknown): boolean;
}

/** `client`, which asks for the credentials of each new connection. */
export function askingEach<Connection>(
  client: SqlClient<Connection>,
  { ask, show, mayOpen, isRefused }: Showing,
): SqlClient<Connection> {
  const asked = Object.create(client) as { -readonly [Name in 'acquire' | 'connect']: SqlClient<Connection>[Name] };
  let wasAccepted = false;
  const open = async (connect: () => Promise<Connection>): Promise<Connection> => {
    const connection = await connect();
    wasAccepted = true;
    return connection;
  };
  /** `open`, retried: a server that refuses credentials that change may accept the next ones. */
  const openAgain = async (connect: () => Promise<Connection>): Promise<Connection> => {
    show(await ask());
    try {
      return await open(connect);
    } catch (error) {
      if (!wasAccepted || !isRefused(error)) throw error;
      const message = `${textOf(error)}. The next connection asks for the credentials again.`;
      throw new LockError('LOCK_UNAVAILABLE', message, { cause: error });
    }
  };
  asked.acquire = async () => {
    if (mayOpen()) show(await ask());
    try {
      return await open(() => client.acquire());
    } catch (error) {
      // The connection was requested earlier, with older credentials.
      if (!isRefused(error)) throw error;
    }
    return await openAgain(() => client.acquire());
  };
  asked.connect = async () => {
    const { connect } = client;
    if (connect === undefined) throw new Error('the client cannot connect beside its pool');
    return await openAgain(() => connect.call(client));
  };
  return asked as SqlClient<Connection>;
}
