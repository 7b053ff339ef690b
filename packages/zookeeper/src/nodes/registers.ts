import type { Operation } from '../wire/call.ts';
import { LockError, checkRegister } from '@locks/core/adapter';
import type { RegisterChange } from '@locks/core';
import type { Sender } from '../session/session.ts';
import { failedStep, multi } from '../wire/multi.ts';
import type { Nodes, ReadNode } from './nodes.ts';
import { encodeKey, childPath, registersName } from './paths.ts';
import { refusal } from './refusal.ts';

/**
 * How often a change is repeated when other clients are faster. With fewer, it fails earlier while
 * they create new registers all the time.
 */
const rounds = 100;

/** How a step fails when another client was faster. */
const meanwhile: ReadonlySet<string> = new Set(['BAD_VERSION', 'NODE_EXISTS', 'NO_NODE']);

/**
 * Changes a register, and resolves to its text. A register is a persistent node while it has a
 * text. All are in one folder, whose version counts created nodes. A recreated node repeats the
 * versions of its predecessor, so a change also fails if a register was created since its read.
 */
export async function register(
  nodes: Nodes,
  session: Sender,
  name: string,
  change: RegisterChange | undefined,
): Promise<string | undefined> {
  checkRegister(name, change);
  const folder = nodes.under(registersName);
  const path = childPath(folder, encodeKey(name));
  for (let round = 0; round < rounds; round += 1) {
    const [made, found] = await nodes.latest(session, folder, () =>
      Promise.all([nodes.exists(session, folder), nodes.read(session, path)]),
    );
    const text = found?.data;
    if (change === undefined || text !== change.from || change.from === change.to) return text;
    const check: Operation = { type: 'check', path: folder, version: made?.version ?? 0 };
    const steps = found === undefined ? making(nodes, folder, path, change.to) : [check, changing(path, found, change)];
    const answer = await session.send(multi(steps));
    if (!answer.ok) throw refusal(answer, path);
    if (answer.value.committed) return change.to;
    const failed = failedStep(answer.value);
    if (!meanwhile.has(failed.error)) throw refusal(failed, path);
    if (made === undefined) await makeFolder(nodes, session, folder);
  }
  throw new LockError('LOCK_UNAVAILABLE', `ZooKeeper: ${folder} changes too often to change ${path}.`);
}

function making(nodes: Nodes, folder: string, path: string, text: string = ''): readonly Operation[] {
  return [
    { type: 'setData', path: folder, data: Buffer.alloc(0) },
    { type: 'create', path, kind: 'persistent', data: Buffer.from(text), acl: nodes.acl },
  ];
}

function changing(path: string, { stat: { version } }: ReadNode, { to }: RegisterChange): Operation {
  return to === undefined
    ? { type: 'remove', path, version }
    : { type: 'setData', path, version, data: Buffer.from(to) };
}

async function makeFolder(nodes: Nodes, session: Sender, folder: string): Promise<void> {
  const made = await nodes.make(session, folder, 'persistent', '');
  if (made.ok || made.error === 'NODE_EXISTS') return;
  if (made.error !== 'NO_NODE') throw refusal(made, folder);
  await nodes.makeRoot(session);
}
