import { duration, misconfigured, readOptions } from '@locks/core/adapter';
import type { AdapterConfig, Duration, OptionReaders } from '@locks/core/adapter';
import { readConnectString } from '../connection/address.ts';
import { readZookeeperOptions, zookeeperReaders, zookeeperSource } from './options.ts';
import type { ReadZookeeperOptions, ZookeeperProviderOptions } from './options.ts';

/** Options of `openLocks` for ZooKeeper. */
export interface ZookeeperConfigOptions extends Partial<ZookeeperProviderOptions> {
  /** Time limit for `openLocks` to connect. @default 5_000 ms */
  readonly connectTimeout?: Duration | undefined;
}

/** The options of the provider, and those of `openLocks`. */
export interface ReadConfigOptions {
  readonly provider: ReadZookeeperOptions;
  readonly connectTimeout: number;
}

const readers: OptionReaders<ZookeeperConfigOptions> = { ...zookeeperReaders, connectTimeout: duration(10, 600_000) };

/**
 * Reads the URL and the options, which override it. Throws `LOCK_MISCONFIGURED` without quoting the
 * URL or credentials.
 */
export function readConfigOptions({ url, options }: Pick<AdapterConfig, 'url' | 'options'>): ReadConfigOptions {
  const place = url === undefined ? {} : readZookeeperUrl(url);
  const read = readOptions<ZookeeperConfigOptions>(readers, options, zookeeperSource);
  const { connectTimeout = 5_000, ...own } = read;
  // Both or neither: a user of the options does not have the URL's password.
  const user = own.username === undefined && own.password === undefined ? place : { servers: place.servers };
  const servers = own.servers ?? place.servers;
  if (servers === undefined && own.client === undefined)
    throw misconfigured('@locks/zookeeper', `option "url" is missing; write ${example}`);
  return { provider: readZookeeperOptions({ ...user, ...own, servers }), connectTimeout };
}

const example = 'zookeeper://user:password@host1:2181,host2:2181/chroot';

interface ZookeeperUrl {
  readonly servers?: string | undefined;
  readonly username?: string;
  readonly password?: string;
}

/** A `URL` has only one host. */
function readZookeeperUrl(text: string): ZookeeperUrl {
  try {
    const [, authority = '', path = ''] = /^zookeeper:\/\/([^/]*)(\/.*)?$/is.exec(text) ?? [];
    const at = authority.lastIndexOf('@');
    const servers = authority.slice(at + 1) + decodeURIComponent(path);
    readConnectString(servers);
    if (at === -1) return { servers };
    const user = authority.slice(0, at);
    const colon = user.indexOf(':');
    if (colon < 1) throw new TypeError('A user without a password.');
    return {
      servers,
      username: decodeURIComponent(user.slice(0, colon)),
      password: decodeURIComponent(user.slice(colon + 1)),
    };
  } catch {
    // Without the reason, as the unreadable part may be a password.
    throw misconfigured(
      '@locks/zookeeper',
      `its URL cannot be read; write ${example}, with special characters of the password percent-encoded`,
    );
  }
}
