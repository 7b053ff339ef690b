import { misconfigured } from '@locks/core/adapter';
import { textOf } from './session.ts';

/** @throws `LOCK_MISCONFIGURED` for a server that is too old, by its `VERSION()`. */
export function refuseOld(version: unknown): void {
  const server = textOf(version);
  if (isTooOld(server)) {
    throw misconfigured('@locks/sql', `it works with MariaDB 10.6, MySQL 8.0 and newer, not with ${server}`);
  }
}

function isTooOld(server: string): boolean {
  // MariaDB once called itself 5.5.5 to its replicas.
  const [, major = 0, minor = 0] = (/^(?:5\.5\.5-)?(\d+)\.(\d+)/.exec(server) ?? []).map(Number);
  if (/mariadb/i.test(server)) return major < 10 || (major === 10 && minor < 6);
  return major < 8;
}
