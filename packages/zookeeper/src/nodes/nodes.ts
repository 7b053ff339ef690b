import { LockError } from '@locks/core/adapter';
import { isOpen } from '../options/acl.ts';
import { renewedSequence } from '../recipes/line/judge.ts';
import { childPath, encodeKey, folderOf } from './paths.ts';
import type { Sender } from '../session/session.ts';
import type { Answer } from '../wire/answer.ts';
import type { Acl, Stat } from '../wire/records.ts';
import { failedStep, multi } from '../wire/multi.ts';
import type { FailedStep, Operation } from '../wire/multi.ts';
import { create, exists, getChildren, getData, remove, sync } from '../wire/requests.ts';
import type { NodeKind } from '../wire/requests.ts';

/** A node that was made, or found. */
export interface MadeNode {
  readonly path: string;
  readonly stat: Stat;
}

/** A node that was made with the folder it is in. */
export interface FirstNode {
  readonly path: string;
  readonly czxid: bigint;
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
  /** Folders that a claim of this process is making; resolves when it has, or has failed. */
  readonly #making: Map<string, Promise<undefined>> = new Map();

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

  /**
   * Makes a numbered node, and in the same transaction the containers that it needs, the outermost first: the server removes a container
   * after its last child, and one that never had any, never. `undefined`: what is there is not what was thought; begin again.
   */
  async makeWithin(
    session: Sender,
    containers: readonly string[],
    path: string,
    data: string,
  ): Promise<FirstNode | undefined> {
    const folder = folderOf(path);
    const others = this.#making.get(folder);
    // A transaction that fails costs the servers as much as one that does not, and of many at once all but one fail.
    if (others !== undefined) return await others;
    const making = this.#makeFirst(session, containers, path, data);
    this.#making.set(
      folder,
      making.then(
        () => undefined,
        () => undefined,
      ),
    );
    try {
      return await making;
    } finally {
      this.#making.delete(folder);
    }
  }

  /** The creation of a node that the server removes some time after its last child. */
  container(path: string): Operation {
    return { type: 'create', path, kind: 'container', data: Buffer.alloc(0), acl: this.acl };
  }

  /** The creation of a node of this session. */
  ephemeral(path: string, data: string): Operation {
    return { type: 'create', path, kind: 'ephemeral', data: Buffer.from(data), acl: this.acl };
  }

  /** The creation of a node of this session, with a number behind `path`. */
  numbered(path: string, data: string): Operation {
    return { type: 'create', path, kind: 'ephemeral-sequential', data: Buffer.from(data), acl: this.acl };
  }

  /** `undefined`: there is no such node. */
  async children(session: Pick<Sender, 'send'>, path: string): Promise<readonly string[] | undefined> {
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

  /** The same, with all that was committed before this call. */
  existsLatest(session: Sender, path: string): Promise<Stat | undefined> {
    return this.latest(session, path, () => this.exists(session, path));
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

  async underRoot(session: Pick<Sender, 'send'>): Promise<readonly string[]> {
    return (await this.latest(session, this.root, () => this.children(session, this.root))) ?? [];
  }

  /**
   * What `read` finds at or below `path`, with all that was committed before this call, by whomever and at whichever server: a follower
   * may lag behind others. In one flight. Needed where this session's own writes do not say how far its server is.
   */
  async latest<T>(session: Pick<Sender, 'send'>, path: string, read: () => Promise<T>): Promise<T> {
    const syncing = session.send(sync(path));
    const reading = read();
    // Without the reply to the first there is none to the second.
    reading.catch(() => {});
    const synced = await syncing;
    if (!synced.ok) throw refusal(synced, path);
    return await reading;
  }

  /**
   * Makes the root. What is missing above it is made only where all nodes are open: with the ACL of one user, it would lock the
   * services of others out.
   */
  async makeRoot(session: Sender): Promise<void> {
    await this.#makePersistent(session, this.root);
  }

  /** Removes the folder of a numbered node, if it is empty and has given out many numbers: they begin anew. */
  async renewSequence(session: Sender, path: string): Promise<void> {
    if (Number(path.slice(-10)) >= renewedSequence) await this.remove(session, folderOf(path));
  }

  /** Leaf first: a user who may make nodes here only may not look further up. */
  async #makePersistent(session: Sender, path: string): Promise<void> {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const made = await this.make(session, path, 'persistent', '');
      if (made.ok || made.error === 'NODE_EXISTS') return;
      const above = folderOf(path);
      if (made.error !== 'NO_NODE' || above === '') throw refusal(made, path);
      if (isOpen(this.acl)) await this.#makePersistent(session, above);
      else await this.#checkAbove(session);
    }
    throw new LockError('LOCK_UNAVAILABLE', `ZooKeeper: what is above ${path} is removed again and again.`);
  }

  async #checkAbove(session: Sender): Promise<void> {
    const names = folderOf(this.root).split('/').slice(1);
    for (const index of names.keys()) {
      const path = `/${names.slice(0, index + 1).join('/')}`;
      if ((await this.exists(session, path)) === undefined) throw parentMissing(path, this.root);
    }
  }

  async #makeFirst(
    session: Sender,
    containers: readonly string[],
    path: string,
    data: string,
  ): Promise<FirstNode | undefined> {
    const answer = await session.send(
      multi([...containers.map((container) => this.container(container)), this.numbered(path, data)]),
    );
    if (!answer.ok) throw refusal(answer, path);
    const made = answer.value.results.at(-1);
    if (made?.ok && made.path !== undefined) return { path: made.path, czxid: answer.zxid };
    const failed = failedStep(answer.value);
    if (failed.error === 'NODE_EXISTS') {
      const missing = containers.slice(failed.index + 1);
      return missing.length === 0 ? undefined : await this.#makeFirst(session, missing, path, data);
    }
    const refused = containers[failed.index] ?? path;
    if (failed.error !== 'NO_NODE') throw refusal(failed, refused);
    if (folderOf(refused) === this.root) await this.makeRoot(session);
    return undefined;
  }
}

/** Whether a request may have been done: its answer is an error that this version does not know. */
export function isDoubtful(answer: Answer<unknown>): boolean {
  return !answer.ok && answer.error === 'OTHER';
}

/** What the server says to a request that should have succeeded. */
export function refusal(answer: Pick<FailedStep, 'error' | 'code'>, path: string): LockError {
  const where = JSON.stringify(path);
  switch (answer.error) {
    case 'NO_AUTH':
      return misconfigured(
        `the session may not do that at ${where}: check option "auth" and the ACLs of the nodes above`,
      );
    case 'INVALID_ACL':
      return misconfigured(`the server does not take the ACL for ${where}: check options "acl" and "auth"`);
    case 'UNIMPLEMENTED':
      return misconfigured(`the server does not know what it is asked for at ${where}: it must be 3.5 or newer`);
    case 'NO_CHILDREN_FOR_EPHEMERALS':
      return misconfigured(`${where} belongs to a session: another client locks this key with "fair: false"`);
    default:
      return new LockError(
        'LOCK_UNAVAILABLE',
        `ZooKeeper refused a request at ${where}: ${answer.error} (${answer.code}).`,
      );
  }
}

function parentMissing(path: string, root: string): LockError {
  return misconfigured(
    `${path}, above the root of the locks (${root}), does not exist, and is not made with an ACL that may lock other services out: make it, in zkCli.sh by "create ${path}", or use another "root" or chroot`,
  );
}

function misconfigured(why: string): LockError {
  return new LockError('LOCK_MISCONFIGURED', `ZooKeeper: ${why}.`);
}
