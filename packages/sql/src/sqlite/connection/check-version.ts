import { misconfigured } from '@locks/core/adapter';
import { textOf } from './connection.ts';

/** @throws `LOCK_MISCONFIGURED` for an old SQLite. */
export function refuseOld(server: unknown): void {
  const version = textOf(server);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 3 || (major === 3 && minor < 35))
    throw misconfigured('@locks/sql', `it works with SQLite 3.35 and newer, not with ${version}`);
}
