import { LockError, checkRegister } from '@locks/core/adapter';
import type { RegisterChange } from '@locks/core';
import type { Sender } from '../session/session.ts';
import { setData } from '../wire/requests.ts';
import type { Nodes } from './nodes.ts';
import { registerName } from './paths.ts';
import { refusal } from './refusal.ts';

/**
 * How often a change is repeated when other clients are faster. With fewer, it fails earlier where
 * they write one text again and again.
 */
const rounds = 20;

/**
 * The text of a register, after `change`. A register is a persistent node, empty without a text. It
 * is never removed: a new node would have the versions of the old one again, and a client that has
 * read the old one could overwrite the new one.
 */
export async function register(
  nodes: Nodes,
  session: Sender,
  name: string,
  change: RegisterChange | undefined,
): Promise<string | undefined> {
  checkRegister(name, change);
  const path = nodes.under(registerName(name));
  for (let round = 0; round < rounds; round += 1) {
    const found = await nodes.latest(session, path, () => nodes.read(session, path));
    const text = found?.data || undefined;
    if (change === undefined || text !== change.from || change.from === change.to) return text;
    const data = change.to ?? '';
    const answer =
      found === undefined
        ? await nodes.make(session, path, 'persistent', data)
        : await session.send(setData(path, Buffer.from(data), found.stat.version));
    if (answer.ok) return change.to;
    if (answer.error === 'NO_NODE') await nodes.makeRoot(session);
    else if (answer.error !== 'BAD_VERSION' && answer.error !== 'NODE_EXISTS') throw refusal(answer, path);
  }
  throw new LockError('LOCK_UNAVAILABLE', `ZooKeeper: ${path} changes too often to be changed.`);
}
