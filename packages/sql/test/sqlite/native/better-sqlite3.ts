import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Libsql from 'libsql';

/** The newest that Node 20 can load. */
const version = '12.11.1';

const folder = fileURLToPath(new URL('../../../.cache/better-sqlite3/', import.meta.url));

/** Where its module is, for other processes. */
export const betterSqlite3Path: string = join(folder, 'node_modules/better-sqlite3');

/**
 * Installs it, in a folder of its own, unless it is there. It is no dependency of the package: its
 * addon is downloaded or compiled, and `npm ci` must work where neither can be.
 */
export function setup(): void {
  if (existsSync(join(betterSqlite3Path, 'build/Release/better_sqlite3.node'))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `better-sqlite3@${version}`];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Its class, with the interface that libsql has taken over. */
export function loadBetterSqlite3(): typeof Libsql {
  return createRequire(import.meta.url)(betterSqlite3Path) as typeof Libsql;
}
