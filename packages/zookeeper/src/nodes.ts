import { LockError } from '@locks/core/adapter';
import { renewedSequence } from './line/line.ts';
import { childPath, encodeKey, folderOf } from './paths.ts';
import type { Sender } from './session/generation.ts';
import type { Answer } from './wire/answer.ts';
import type { Acl, Stat } from './wire/records.ts';
import { create, exists, getChildren, getData, remove } from './wire/requests.ts';
import type { NodeKind } from './wire/requests.ts';

/** A node that was made, or found. */
export interface MadeNode {
  readonly path: string;
  readonly stat: Stat;
}

/** A node that was read. */
export interface ReadNode {
  readonly data: string;
  readonly stat: Stat;
}

/** The part of ZooKeeper's tree that is ours: everything under one root. */
export class Nodes {
  readonly root: string;
  /** Of every node that is made. */
  readonly acl: readonly Acl[];

  constructor(root: string, acl: readonly Acl[]) {
    this.root = root;
    this.acl = acl;
  }

  ofKey(key: string): string {
    return this.under(encodeKey(key));
  }

  under(name: string): string {
    return childPath(this.root, name);
  }

  make(session: Sender, path: string, kind: NodeKind, data: string): Promise<Answer<MadeNode>> {
    return session.send(create({ path, kind, data: Buffer.from(data), acl: this.acl }));
  }

  /** Makes the node at `path` that others are put under, and whatever is missing above it. The server removes it when it is empty. */
  async makeContainer(session: Sender, path: string): Promise<void> {
    await this.#makeFolder(session, path, 'container');
  }

  /** `undefined`: there is no such node. */
  async children(session: Sender, path: string): Promise<readonly string[] | undefined> {
    const answer = await session.send(getChildren(path));
    if (answer.ok) return answer.value.children;
    if (answer.error === 'NO_NODE') return undefined;
    throw refusal(answer, path);
  }

  async exists(session: Sender, path: string): Promise<Stat | undefined> {
    const answer = await session.send(exists(path));
    if (answer.ok) return answer.value;
    if (answer.error === 'NO_NODE') return undefined;
    throw refusal(answer, path);
  }

  async read(session: Sender, path: string): Promise<ReadNode | undefined> {
    const answer = await session.send(getData(path));
    if (answer.ok) return { data: answer.value.data.toString(), stat: answer.value.stat };
    if (answer.error === 'NO_NODE') return undefined;
    throw refusal(answer, path);
  }

  /** `false`: it was not there, or has children. */
  async remove(session: Sender, path: string): Promise<boolean> {
    const answer = await session.send(remove(path));
    if (answer.ok) return true;
    if (answer.error === 'NO_NODE' || answer.error === 'NOT_EMPTY') return false;
    throw refusal(answer, path);
  }

  async underRoot(session: Sender): Promise<readonly string[]> {
    return (await this.children(session, this.root)) ?? [];
  }

  /** Makes a node that stays, and whatever is missing above it. */
  async makePersistent(session: Sender, path: string): Promise<void> {
    await this.#makeFolder(session, path, 'persistent');
  }

  /** Removes the folder of a numbered node, if it is empty and has given out many numbers: they begin anew. */
  async renewSequence(session: Sender, path: string): Promise<void> {
    if (Number(path.slice(-10)) >= renewedSequence) await this.remove(session, folderOf(path));
  }

  // Leaf first: whoever may make nodes here only may not look further up.
  async #makeFolder(session: Sender, path: string, kind: NodeKind): Promise<void> {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const made = await this.make(session, path, kind, '');
      if (made.ok || made.error === 'NODE_EXISTS') return;
      const above = folderOf(path);
      if (made.error !== 'NO_NODE' || above === '') throw refusal(made, path);
      await this.#makeFolder(session, above, 'persistent');
    }
    throw new LockError('LOCK_UNAVAILABLE', `ZooKeeper: what is above ${path} is removed again and again.`);
  }
}

/** What the server says to a request that should have succeeded. */
export function refusal(answer: Extract<Answer<unknown>, { ok: false }>, path: string): LockError {
  const where = JSON.stringify(path);
  switch (answer.error) {
    case 'NO_AUTH':
      return misconfigured(
        `the session may not do that at ${where}: check option "auth" and the ACLs of the nodes above`,
      );
    case 'INVALID_ACL':
      return misconfigured(`the server does not take the ACL for ${where}: check options "acl" and "auth"`);
    case 'NO_CHILDREN_FOR_EPHEMERALS':
      return misconfigured(`${where} belongs to a session: another client locks this key with "fair: false"`);
    default:
      return new LockError(
        'LOCK_UNAVAILABLE',
        `ZooKeeper refused a request at ${where}: ${answer.error} (${answer.code}).`,
      );
  }
}

function misconfigured(why: string): LockError {
  return new LockError('LOCK_MISCONFIGURED', `ZooKeeper: ${why}.`);
}
