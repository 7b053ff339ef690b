import { misconfigured } from '@locks/core/adapter';
import type { SqlSession } from '../../dialect/layout/sql-session.ts';
import { textOf } from './connection.ts';

/** @throws `LOCK_MISCONFIGURED` for an SQLite that is too old. */
export function refuseOld(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 3 || (major === 3 && minor < 35))
    throw misconfigured('@locks/sql', `it works with SQLite 3.35 and newer, not with ${version}`);
}

/** Asks the library of `session`. @throws `LOCK_MISCONFIGURED` */
export async function checkVersion(session: SqlSession): Promise<void> {
  const [row] = await session.rows('SELECT sqlite_version() AS version');
  refuseOld(textOf(row?.['version']));
}
