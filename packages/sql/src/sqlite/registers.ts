import type { RegisterChange } from '@locks/core';
import { textOf } from './connection/connection.ts';
import type { Session } from './connection/session.ts';

/** The statements of registers. */
type RegisterStatement = 'readRegister' | 'writeRegister' | 'removeRegister';
type RegisterSession = Pick<Session<RegisterStatement>, 'read' | 'write' | 'row' | 'run'>;

export function readRegister(session: RegisterSession, name: string): string | undefined {
  return session.read(() => textIn(session, name));
}

/** `false`: it had another text than `from`. */
export function changeRegister(session: RegisterSession, name: string, { from, to }: RegisterChange): boolean {
  return session.write(() => {
    if (textIn(session, name) !== from) return false;
    if (to === undefined) session.run('removeRegister', { name });
    else session.run('writeRegister', { name, text: to });
    return true;
  });
}

function textIn(session: RegisterSession, name: string): string | undefined {
  const row = session.row('readRegister', { name });
  return row && textOf(row['owner']);
}
