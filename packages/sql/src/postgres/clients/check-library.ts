import { misconfigured } from '@locks/core/adapter';
import type { PgSession } from '../connection/connection.ts';

/** @throws `LOCK_MISCONFIGURED` for an unusable kind of connection or option. */
export function checkLibrary(given: PgSession): void {
  const { connection, binary } = given as Partial<PgSession> & { readonly binary?: boolean };
  if (connection?.stream === undefined) {
    throw misconfigured(
      '@locks/sql',
      'its connections have no socket, like those of pg.native; pass a Pool of pg without native bindings',
    );
  }
  if (binary === true) {
    throw misconfigured(
      '@locks/sql',
      'its pool has option "binary": true, but text results are needed; pass a Pool without that option',
    );
  }
}
