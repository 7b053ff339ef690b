import type { NodeKind, Operation } from '../wire/call.ts';
import { LockError, Batches } from '@locks/core/adapter';
import type { Sender } from '../session/session.ts';
import type { Answer } from '../wire/answer.ts';
import { allPermissions } from '../wire/records.ts';
import type { Acl, Stat } from '../wire/records.ts';
import { create, exists, getChildren, getData, remove, sync } from '../wire/requests.ts';
import { childPath, encodeKey, folderOf } from './paths.ts';
import { parentMissing, refusal } from './refusal.ts';
import { renewedSequence } from './sequence.ts';

export interface MadeNode {
  readonly path: string;
  readonly stat: Stat;
}

export interface ReadNode {
  readonly data: string;
  readonly stat: Stat;
}

/** The part of ZooKeeper's tree that belongs to one provider: all nodes under one root. */
export class Nodes {
  readonly root: string;
  /** For every created node. */
  readonly acl: readonly Acl[];
  readonly #latestReads = new LatestReads();

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

  /** Creates a node that the server removes some time after its last child. */
  container(path: string): Operation {
    return { type: 'create', path, kind: 'container', data: Buffer.alloc(0), acl: this.acl, beforehand: true };
  }

  /** Creates a node of this session. */
  ephemeral(path: string, data: string): Operation {
    return { type: 'create', path, kind: 'ephemeral', data: Buffer.from(data), acl: this.acl };
  }

  /** Creates a node of this session, with a number after `path`. */
  numbered(path: string, data: string): Operation {
    return { type: 'create', path, kind: 'ephemeral-sequential', data: Buffer.from(data), acl: this.acl };
  }

  /** `undefined`: the node does not exist. */
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

  /** As `exists`, including all that was committed before this call. */
  existsLatest(session: Sender, path: string): Promise<Stat | undefined> {
    return this.latest(session, path, () => this.exists(session, path));
  }

  async read(session: Sender, path: string): Promise<ReadNode | undefined> {
    const answer = await session.send(getData(path));
    if (answer.ok) return { data: answer.value.data.toString(), stat: answer.value.stat };
    if (answer.error === 'NO_NODE') return undefined;
    throw refusal(answer, path);
  }

  /** `false`: it did not exist, or has children. */
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
   * The result of `read`, at or below `path`, including all that any client committed before this
   * call. Not needed if this session's own writes show how far its server is.
   */
  latest<T>(session: Pick<Sender, 'send'>, path: string, read: () => Promise<T>): Promise<T> {
    return this.#latestReads.read(session, path, read);
  }

  /**
   * Creates the root. Missing nodes above it are created only if all nodes are open: with the ACL
   * of one user they would lock out services of others.
   */
  async makeRoot(session: Sender): Promise<void> {
    await this.#makePersistent(session, this.root);
  }

  /** Removes the folder of a numbered node if it is empty and its numbers should restart. */
  async renewSequence(session: Sender, path: string): Promise<void> {
    if (Number(path.slice(-10)) >= renewedSequence) await this.remove(session, folderOf(path));
  }

  /** Begins at the leaf, because a user may have no rights on the nodes above the root. */
  async #makePersistent(session: Sender, path: string): Promise<void> {
    // To a client its chroot is '/', and may be missing.
    if (path === '/' && !isOpen(this.acl)) {
      await this.#checkAbove(session);
      return;
    }
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const made = await this.make(session, path, 'persistent', '');
      if (made.ok || made.error === 'NODE_EXISTS') return;
      if (made.error !== 'NO_NODE' || path === '/') throw refusal(made, path);
      if (isOpen(this.acl)) await this.#makePersistent(session, folderOf(path) || '/');
      else await this.#checkAbove(session);
    }
    throw new LockError('LOCK_UNAVAILABLE', `ZooKeeper: the nodes above ${path} are removed again and again.`);
  }

  async #checkAbove(session: Sender): Promise<void> {
    const names = folderOf(this.root).split('/');
    for (const index of names.keys()) {
      const path = names.slice(0, index + 1).join('/') || '/';
      if ((await this.exists(session, path)) === undefined) throw parentMissing(path, this.root);
    }
  }
}

/** Whether all users may do everything. */
function isOpen(acl: readonly Acl[]): boolean {
  return acl.some(({ scheme, permissions }) => scheme === 'world' && permissions === allPermissions);
}

interface LatestRead {
  readonly session: Pick<Sender, 'send'>;
  readonly path: string;
  readonly read: () => Promise<unknown>;
}

/**
 * Reads that include all that was committed before they were requested. A follower may lag behind
 * other servers, so a `sync` precedes them, in the same flight. Reads of one tick share it.
 */
class LatestReads {
  readonly #batches = new Batches<LatestRead, unknown>({
    fits: ({ session }, [first]) => session === first?.session,
    alone: async (read) => await (await readBehindSync([read]))[0],
    together: readBehindSync,
  });

  /** The result of `read`, at or below `path`. */
  read<T>(session: LatestRead['session'], path: string, read: () => Promise<T>): Promise<T> {
    return this.#batches.call({ session, path, read }) as Promise<T>;
  }
}

async function readBehindSync(reads: readonly LatestRead[]): Promise<readonly Promise<unknown>[]> {
  const [{ session, path }] = reads as [LatestRead];
  const syncing = session.send(sync(path));
  const answers = reads.map(({ read }) => read());
  // Without the reply to the sync the reads have none.
  for (const answer of answers) answer.catch(() => {});
  const synced = await syncing;
  return synced.ok ? answers : reads.map((each) => Promise.reject(refusal(synced, each.path)));
}
