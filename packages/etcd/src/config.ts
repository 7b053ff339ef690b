import {
  LockError,
  createDeadline,
  duration,
  hostList,
  misconfigured,
  orFunction,
  readOptions,
  secretOf,
  secretText,
  systemRuntime,
  tlsOptions,
} from '@locks/core/adapter';
import type { AdapterConfig, Asked, Duration, Host, OptionReaders, Runtime } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import { explain, probeTime } from './connection/explain.ts';
import { secretsOf } from './connection/secrets.ts';
import type { Secrets } from './connection/secrets.ts';
import { etcdReaders, readEtcdOptions, source } from './options/options.ts';
import type { EtcdOptions, ReadEtcdOptions } from './options/options.ts';
import { memberPort, readEtcdUrl } from './options/etcd-url.ts';
import { EtcdProvider } from './provider.ts';

/**
 * Options of `createEtcdProvider` and of `openLocks`. A function is called for each connection or
 * login, and must return within `connectTimeout`.
 */
export interface EtcdConfigOptions extends EtcdOptions {
  /** The members of the cluster, `'host:port'` each, in place of a URL. @default none */
  readonly endpoints?: readonly string[] | undefined;
  /** Overrides the URL's. @default none: no login */
  readonly username?: Asked<string> | undefined;
  /** Overrides the URL's, so that the URL need not contain it. @default the URL's */
  readonly password?: Asked<string> | undefined;
  /**
   * `true`: TLS with Node's defaults, which check the certificates. An object: TLS with these
   * options of `tls.connect` (`ca`, `cert`, `key`, `servername`, …). A function: TLS with what it
   * returns (`true` or an object).
   * @default true for `etcds:`, else false
   */
  readonly tls?: Asked<boolean | object> | undefined;
  /** Time limit for the first answer of a member. @default 5_000 ms */
  readonly connectTimeout?: Duration | undefined;
}

const readers: OptionReaders<EtcdConfigOptions> = {
  ...etcdReaders,
  endpoints: hostList(memberPort),
  username: orFunction(secretText),
  password: secretOf,
  tls: orFunction(tlsOptions),
  connectTimeout: duration(10, 600_000),
};

/**
 * Locks in etcd, 3.4 or newer. Resolves when a member has answered. `close()` of the provider ends
 * its connections.
 * @throws `LOCK_MISCONFIGURED` for a wrong option, refused credentials, an older etcd, or a TLS
 * mismatch. `LOCK_UNAVAILABLE` if no member answers within `connectTimeout`.
 */
export function createEtcdProvider(options: EtcdConfigOptions & { readonly url?: string }): Promise<LockProvider> {
  const { url, ...others } = options;
  return open(url, others, systemRuntime);
}

/** The provider as `openLocks('etcd://…')` makes it. Throws as `createEtcdProvider`. */
export function fromConfig({ url, options, runtime }: AdapterConfig): Promise<LockProvider> {
  return open(url, options, runtime);
}

/** A parsed configuration. */
export interface ReadConfig {
  readonly hosts: readonly Host[];
  readonly secrets: Secrets;
  readonly read: ReadEtcdOptions;
  readonly connectTimeout: number;
}

/**
 * Reads a configuration.
 * @throws `LOCK_MISCONFIGURED` naming the option.
 */
export function readConfig(url: string | undefined, options: object, runtime: Runtime): ReadConfig {
  const {
    endpoints,
    username,
    password,
    tls,
    connectTimeout = 5_000,
    ...own
  } = readOptions<EtcdConfigOptions>(readers, options, source);
  if (url !== undefined && endpoints !== undefined) {
    throw misconfigured(source.where, 'the members are set twice; keep either the URL or option "endpoints"');
  }
  const place = readEtcdUrl(url ?? `etcd://${endpoints?.join(',') ?? ''}`);
  if (place.secure && tls === false) {
    throw misconfigured(source.where, 'option "tls" is false, and etcds: is TLS; write etcd: or leave it out');
  }
  const user = { username: username ?? place.username, password: password ?? place.password };
  if ((user.username === undefined) !== (user.password === undefined)) {
    const missing = user.username === undefined ? 'username' : 'password';
    throw misconfigured(source.where, `option "${missing}" is missing: a login needs both username and password`);
  }
  const secrets = secretsOf({ ...user, tls: tls ?? place.secure }, runtime, connectTimeout);
  const read = readEtcdOptions({ ...own, prefix: own.prefix ?? place.prefix });
  return { hosts: place.hosts, secrets, read, connectTimeout };
}

async function open(url: string | undefined, options: object, runtime: Runtime): Promise<LockProvider> {
  const { hosts, secrets, read, connectTimeout } = readConfig(url, options, runtime);
  const provider = new EtcdProvider(hosts, secrets, read, runtime);
  let reason: Promise<LockError | undefined> | undefined;
  const look = (error: unknown): Promise<LockError | undefined> =>
    (reason ??= explain(error, hosts, secrets, connectTimeout));
  // Why a member is silent is examined before the time ends.
  const silent = (): void => void look(new LockError('LOCK_UNAVAILABLE', 'No answer.'));
  const timer = runtime.setTimer(silent, connectTimeout - probeTime(connectTimeout), false);
  const deadline = createDeadline(runtime, connectTimeout, 'etcd', () => provider.outage() as LockError | undefined);
  try {
    // Its steps have a later limit, so that an error names this one.
    await deadline.race(provider.connect(2 * connectTimeout), 'a new connection');
    return provider;
  } catch (error) {
    const why = await look(error);
    await provider.close();
    throw why ?? error;
  } finally {
    runtime.clearTimer(timer);
    deadline.stop();
  }
}
