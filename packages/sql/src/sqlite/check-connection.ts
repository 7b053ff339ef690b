import { misconfigured } from '@locks/core/adapter';
import { checkLayout } from '../dialect/layout/layout.ts';
import type { Layout } from '../dialect/layout/layout.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { unusable } from './connection/errors.ts';
import { whyNoFile } from './connection/access.ts';
import { noticeBoot } from './boot.ts';
import { bootId, hostTime } from './host/clock.ts';
import { refuseOld } from './connection/check-version.ts';
import { numberOf, textOf } from './connection/connection.ts';
import type { Session } from './session.ts';

/** Checks a new connection and the tables. @throws `LOCK_MISCONFIGURED` with what to do. */
export function checkConnection(session: Session, names: TableNames): void {
  checkFile(session);
  session.write(() => {
    // The schema is a name that this package has made up.
    checkLayout(layoutOf(session), { ...names, schema: undefined });
    noticeBoot(session, bootId(), hostTime());
  });
}

function checkFile(session: Session): void {
  refuseOld(session.version());
  if (session.path === '') {
    throw misconfigured(
      '@locks/sql',
      'the database is in memory, where only one connection can see it. Name a file, or use openLocks("memory:") for locks within one process',
    );
  }
  const why = whyNoFile(session.path);
  if (why !== undefined) throw unusable(session.path, why);
  const encoding = textOf(session.pragma('encoding'));
  if (encoding !== 'UTF-8') {
    throw misconfigured(
      '@locks/sql',
      `the file ${JSON.stringify(session.path)} has encoding ${encoding}; UTF-8 is needed`,
    );
  }
}

function layoutOf(session: Session): Layout | undefined {
  try {
    const row = session.row('readLayout');
    return row && { version: numberOf(row['version']), readableFrom: numberOf(row['readable_from']) };
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('no such table')) return undefined;
    throw error;
  }
}
