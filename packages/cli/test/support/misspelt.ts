import type { LocksConfig } from '@locks/core';
import { adapters } from '@locks/core/open';

/** Where locks shall be, as a user has written it by mistake. */
export interface Misspelt {
  /** For `openLocks`. */
  readonly target: string | LocksConfig;
  /** For `--url`. `undefined`: it is no URL. */
  readonly url: string | undefined;
  /** The parts of the password. Nothing that is shown may have six letters of one. */
  readonly secrets: readonly string[];
}

type Pick = <T>(...of: readonly T[]) => T;
type Slip = (url: string, pick: Pick) => string;

/** Of all packages; `consul` is of none. */
const schemes = [...Object.values(adapters).flatMap((adapter) => adapter.schemes), 'valkey', 'memory', 'consul'];

/** What people forget to percent-encode, and what is no text when it is decoded. */
const specials = [
  ...['?', '#', '/', '&', '=', '@', ':', ';', ',', '%', '+', '\\', '|', '"', "'", ' ', '[', ']', '$', '\n'],
  ...[
    '?@',
    '@?',
    '/@',
    '#@',
    '@#',
    ':@',
    '@:',
    '//',
    '://',
    '?&',
    '?a=1&',
    '%zz',
    '%C3',
    '%40',
    '%00',
    'ß',
    '雪',
    '😀',
    '',
  ],
];

/** How a URL is misspelt. `PASSWORD` has not been put in yet. */
const slips: readonly Slip[] = [
  (url, pick) => url.replace('://', pick(':', ':/', ':///', '//', '', ' ://', ':// ', ':\\\\', '::')),
  (url, pick) => pick('jdbc:', 'redis://', 'http://', 'url=', '"', ' ', '\uFEFF', 'postgres://x:y@') + url,
  (url) => url.replace(/^\w+:\/\//, ''),
  (url, pick) => url.replace('?', pick('&', '#', '??', ';', '%3F')),
  (url, pick) => url.replaceAll('&', pick(';', ',', ' ', '%26')),
  (url, pick) => url.replace(/=(?=\w*$)/, pick('%3D', ':', '', '==')),
  (url, pick) => url.replace('=', pick('%3D', ':', '', '==')),
  (url) => url.replace(/(user:PASSWORD@)(.*?)(?=\?)/, '$2/$1'),
  (url, pick) =>
    url
      .replace('PASSWORD', pick('x', ''))
      .replace(
        '?',
        pick(
          '?password=PASSWORD&',
          '?PASSWORD=1&',
          '?tls=PASSWORD&',
          '?pwd=PASSWORD&',
          '?user=u&password=PASSWORD&',
          ';password=PASSWORD?',
        ),
      ),
  (url, pick) => url.replace('user:', pick('', ':', 'user', 'us:er:', 'us@er:', 'user%3A')),
  (url) => url.replace('user:PASSWORD@', 'PASSWORD:user@'),
  (url, pick) => url.replace('@127.0.0.1:1', pick('@', '', '@:1', '@@127.0.0.1:1', '%40127.0.0.1:1', '@127.0.0.1:1@')),
  (url, pick) =>
    url.replace(
      '127.0.0.1:1',
      pick(
        '127.0.0.1',
        '127.0.0.1:',
        '127.0.0.1:1:2',
        '127.0.0.1:99999',
        '127.0.0.1:1/',
        '[::1]:1',
        '[::1',
        '127.0.0.1:PASSWORD',
        '%2Ftmp%2Fnone',
        '/tmp/none.sock',
      ),
    ),
  (url, pick) =>
    url.replace(
      '127.0.0.1:1',
      pick(
        '127.0.0.1:1,127.0.0.1:2',
        '127.0.0.1:1;127.0.0.1:2',
        '127.0.0.1:1,user:PASSWORD@127.0.0.1:2',
        ',127.0.0.1:1',
      ),
    ),
  (url, pick) => url.replace('ttl', pick('tll', 'TTL', 'timeout', 'db', 'pool', 'prefix ', 'constructor', 'PASSWORD')),
  (url, pick) => url + pick('\n', ' ', '&', '#', '?', '\0', '#PASSWORD'),
  (url) => url.toUpperCase().replace('PASSWORD', 'PASSWORD'),
  (url) => url,
];

/** The text that is written in place of a URL, or around it. */
const forms: readonly ((url: string, password: string, pick: Pick) => LocksConfig)[] = [
  (url) => ({ url }),
  (url, _, pick) => ({ url, provider: pick('redis', 'sql', 'zookeeper', 'etcd', 'memory', 'combine', 'migrate', url) }),
  (url) => ({ config: url }),
  (url) => ({ url: 'memory:', options: url }) as never,
  (url) => ({ provider: 'memory', uri: url }) as never,
  (url) => ({ provider: 'combine', options: { members: [url, 'redis://127.0.0.1:1', { url }] } }),
  (url) => ({ provider: 'migrate', options: { from: url, to: { url }, phase: 'both', name: 'x' } }),
  (url) => ({ provider: 'migrate', options: { from: { url }, to: 'redis://127.0.0.1:1', phase: url, name: 'x' } }),
  (url, password, pick) => ({
    url,
    options: {
      [pick('password', 'passwort', 'auth', 'tls', 'sentinelPassword', 'prefix', 'timeout', 'endpoints', 'servers')]:
        password,
    },
  }),
  (_, password, pick) => ({
    url: pick(
      'redis://127.0.0.1:1',
      'postgres://127.0.0.1:1/x',
      'mysql://127.0.0.1:1/x',
      'etcd://127.0.0.1:1',
      'zookeeper://127.0.0.1:1',
    ),
    options: {
      connectTimeout: 10,
      username: 'user',
      [pick('password', 'auth', 'tls', 'pool', 'waiterTtl', 'acl')]: pick<unknown>(
        password,
        [password],
        { password },
        { scheme: 'digest', credentials: password },
        () => password,
        { ca: password, key: password },
        Buffer.from(password),
      ),
    },
  }),
  (url) => ({ url, provider: adapterThat((config) => new Error(`cannot reach ${config.url}`)) }),
  (url) => ({
    url,
    provider: adapterThat((config) => Object.assign(new TypeError('Invalid URL'), { input: config.url })),
  }),
  (url) => ({ url, provider: adapterThat((config) => new Error('failed', { cause: new Error(`at ${config.url}`) })) }),
  (url) => ({ url, provider: adapterThat((config) => `cannot reach ${config.url}`) }),
  (url, password) => ({
    url,
    options: { password },
    provider: adapterThat((config) => new Error(`NOAUTH ${password} ${JSON.stringify(config.options)}`)),
  }),
];

function adapterThat(
  rejects: (config: { readonly url?: string | undefined; readonly options?: object }) => unknown,
): never {
  return { fromConfig: (config: never) => Promise.reject(rejects(config)) } as never;
}

/** Draws one of them. */
export function misspell(random: () => number): Misspelt {
  const pick: Pick = (...of) => of[Math.floor(random() * of.length)] as (typeof of)[number];
  const word = (): string => `s3${random().toString(36).slice(2, 10)}cr3t`;
  const secrets = [word(), word()];
  const scheme = pick(...schemes);
  const written = secrets.join(pick(...specials));
  const password = pick(written, written, encodeURIComponent(written), encodeURIComponent(encodeURIComponent(written)));
  const place = scheme === 'sqlite' ? 'sqlite:./locks.db' : `${scheme}://user:PASSWORD@127.0.0.1:1/0`;
  let url = `${place}?connectTimeout=10&ttl=5s`;
  for (let left = pick(1, 1, 2, 3); left > 0; left -= 1) url = pick(...slips)(url, pick);
  // A file, whose path is no secret.
  if (scheme === 'sqlite' && !url.startsWith('sqlite:./locks.db?')) return misspell(random);
  if (!url.includes('PASSWORD')) url = `${url}&password=PASSWORD`;
  // A text where the host belongs is a host.
  if (written.includes('@') && !/127\.0\.0\.1|::1/.test(url)) return misspell(random);
  const spelt = url.replaceAll('PASSWORD', () => password);
  if (random() < 0.6) return { target: spelt, url: spelt, secrets };
  return { target: pick(...forms)(spelt, password, pick), url: undefined, secrets };
}
