import type { LocksConfig } from '@locks/core';

/** Where the lock lives. */
export interface Backend {
  readonly url: string;
  /** For people. Not the URL: that may have a password in it. */
  readonly name: string;
  /** The backend keeps the lock in tables, which the demo makes where there are none. */
  readonly hasTables: boolean;
}

const names: Readonly<Record<string, string>> = {
  memory: 'the memory of this process',
  redis: 'Redis',
  rediss: 'Redis',
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
  return { url, name: named ?? names[scheme] ?? `a backend of "${scheme}:"`, hasTables: named !== undefined };
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

export function sqliteUrl(file: string): string {
  return `sqlite:${file.replaceAll(/[%?]/g, encodeURIComponent)}`;
}

function schemeOf(url: string): string {
  return (/^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1] ?? '').toLowerCase();
}
