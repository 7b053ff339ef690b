import type { ConnectionOptions } from 'node:tls';
import { askOptions, matching, misconfigured, secretText, tlsAnswer } from '@locks/core/adapter';
import type { Asked, OptionReader, Runtime } from '@locks/core/adapter';
import type { Credentials } from '../connection/handshake.ts';
import { authReader } from './readers.ts';
import type { ZookeeperAuth } from './readers.ts';

/** Options that identify this process. Each may be a function. */
export interface SecretOptions {
  /** Credentials sent to the servers on each connection. @default none */
  readonly auth?: Asked<ZookeeperAuth | readonly ZookeeperAuth[]> | undefined;
  /** With `password`: credentials of the scheme `digest`. @default none */
  readonly username?: Asked<string> | undefined;
  /** With `username`: its password. @default none */
  readonly password?: Asked<string> | undefined;
  /**
   * TLS. `true` checks the servers' certificates with Node's defaults. An object has options of
   * `tls.connect` (`ca`, `cert`, …). A function: TLS with what it returns (`true` or an object).
   * @default false
   */
  readonly tls?: Asked<boolean | object> | undefined;
}

/** The credentials of a connection. */
export interface Secrets {
  readonly auth: readonly Credentials[];
  /** Options of `tls.connect`; `undefined`: no TLS. */
  readonly tls: ConnectionOptions | undefined;
}

/** The name of a user. */
export const userReader: OptionReader<string> = matching(/^[^:]+$/, 'a string without ":"');

const names = ['auth', 'username', 'password', 'tls'] as const;

export function changes(options: SecretOptions): boolean {
  return names.some((name) => typeof options[name] === 'function');
}

/** The options that are no functions. The others are left out. */
export function knownSecrets(options: SecretOptions): Secrets {
  if ((options.username === undefined) !== (options.password === undefined)) {
    const missing = options.username === undefined ? 'username' : 'password';
    throw misconfigured('@locks/zookeeper', `option "${missing}" is missing: digest needs both`);
  }
  const known: Known = Object.fromEntries<unknown>(
    names.map((name) => [name, options[name]] as const).filter(([, value]) => typeof value !== 'function'),
  );
  return secretsOf(known);
}

/**
 * The credentials of the next connection. Functions are called, and have `within` ms.
 * @throws `LOCK_UNAVAILABLE` and `LOCK_MISCONFIGURED`, as `askOption` does.
 */
export async function askSecrets(options: SecretOptions, runtime: Runtime, within: number): Promise<Secrets> {
  const readers = { auth: authReader, username: userReader, password: secretText, tls: tlsAnswer };
  const tls = options.tls === false ? undefined : options.tls;
  return secretsOf(await askOptions({ ...options, tls }, readers, { where: '@locks/zookeeper', runtime, within }));
}

interface Known {
  readonly auth?: ZookeeperAuth | readonly ZookeeperAuth[] | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly tls?: boolean | object | undefined;
}

function secretsOf({ auth = [], username, password, tls }: Known): Secrets {
  const both = username !== undefined && password !== undefined;
  const digest = both ? [{ scheme: 'digest', credentials: `${username}:${password}` }] : [];
  const given: readonly ZookeeperAuth[] = [...digest, ...('scheme' in auth ? [auth] : auth)];
  return {
    auth: given.map(({ scheme, credentials }) => ({ scheme, credentials: bytesOf(credentials) })),
    tls: tls === true ? {} : typeof tls === 'object' ? { ...tls } : undefined,
  };
}

function bytesOf(text: string | Uint8Array): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : Buffer.from(text);
}
