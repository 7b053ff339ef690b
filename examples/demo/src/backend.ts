import type { LocksConfig } from '@locks/core';
import { ttl } from './crew.ts';
import { seconds } from './table.ts';

/** Where the lock lives. */
export interface Backend {
  /** As the workers open it. */
  readonly url: string;
  /** For people. Not the URL: that may have a password in it. */
  readonly name: string;
  /** The backend keeps the lock in tables, which the demo makes where there are none. */
  readonly hasTables: boolean;
  /** What ends the lock of a worker that has died: `ttl 2.00 s`. */
  readonly end: string;
}

const names: Readonly<Record<string, string>> = {
  memory: 'the memory of this process',
  redis: 'Redis',
  rediss: 'Redis',
  zookeeper: 'ZooKeeper',
};

const namesWithTables: Readonly<Record<string, string>> = {
  postgres: 'Postgres',
  postgresql: 'Postgres',
  mysql: 'MySQL or MariaDB',
  mariadb: 'MySQL or MariaDB',
  sqlite: 'a SQLite file',
};

/** The backend of `url`; whether there is such a thing, `openLocks` finds out. */
export function backendOf(url: string): Backend {
  const scheme = schemeOf(url);
  const named = namesWithTables[scheme];
  const name = named ?? names[scheme] ?? `a backend of "${scheme}:"`;
  if (scheme === 'zookeeper') return { url: shortSession(url), name, hasTables: false, end: 'with its session' };
  return { url, name, hasTables: named !== undefined, end: `ttl ${seconds(ttl)}` };
}

/** Whether only tasks of one process can meet there. */
export function isOfOneProcess(url: string): boolean {
  return schemeOf(url) === 'memory';
}

/** What the demo opens before its workers do: it makes the tables, unless the URL says something about that. */
export function configOf({ url, hasTables }: Backend): LocksConfig {
  const makesTables = hasTables && !/[?&]migrate=/.test(url);
  return { url, requires: { scope: 'host' }, ...(makesTables && { options: { migrate: true } }) };
}

/** A session of as few s as a ZooKeeper with its default settings grants, unless the URL says something about that: its end is waited for. */
function shortSession(url: string): string {
  if (/[?&]sessionTimeout=/.test(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}sessionTimeout=4s`;
}

export function sqliteUrl(file: string): string {
  return `sqlite:${file.replaceAll(/[%?]/g, encodeURIComponent)}`;
}

function schemeOf(url: string): string {
  return (/^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1] ?? '').toLowerCase();
}
