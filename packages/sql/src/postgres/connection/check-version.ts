import { misconfigured } from '@locks/core/adapter';

/** @throws `LOCK_MISCONFIGURED` for a server that is too old, by its `server_version_num`. */
export function refuseOld(version: unknown): void {
  if (Number(version) < 130_000) {
    throw misconfigured('@locks/sql', `it works with Postgres 13 and newer, not with ${shown(Number(version))}`);
  }
}

/** 120022 is 12.22, and 90624 is 9.6.24. */
function shown(version: number): string {
  const parts = [Math.floor(version / 10_000), Math.floor(version / 100) % 100, version % 100];
  return parts.filter((part, index) => index !== 1 || part > 0).join('.');
}
