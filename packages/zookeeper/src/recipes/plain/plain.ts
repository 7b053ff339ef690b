import { LockError } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import { baseIn, readNodeData, tokenIn, writeNodeData } from '../../nodes/node-data.ts';
import type { Nodes, ReadNode } from '../../nodes/nodes.ts';
import { madeBy } from '../../nodes/own-node.ts';
import { holdPrefix, nameOf } from '../../nodes/paths.ts';
import { isDoubtful, refusal } from '../../nodes/refusal.ts';
import type { Session } from '../../session/session.ts';
import type { Tokens } from '../../tokens/tokens.ts';
import { failedStep, multi } from '../../wire/multi.ts';
import { uuidOf } from '../contenders.ts';
import type { LiveClaim } from '../live-claim.ts';
import { looks } from '../recipe.ts';
import type { Recipe } from '../recipe.ts';
import { waitAt, waitingFor, waitingWith } from '../waits.ts';
import { PlainWaiters } from './waiters.ts';

/**
 * One ephemeral node per key, which the holder creates and all waiters watch: the layout of many
 * home-made locks.
 *
 * The nodes of all holders have the same path and version, by which ZooKeeper removes. So a late or
 * repeated release would remove the node of the next holder. Therefore each hold has a second node
 * with a unique name. One transaction creates both, and one removes both. If the second node is
 * gone, the hold is over and nothing is removed.
 */
export function createPlainRecipe(nodes: Nodes, tokens: Tokens): Recipe {
  const waiters = new PlainWaiters();

  /** Another client has removed the key's node, perhaps without the second one. */
  async function gone({ session, claim }: LiveClaim): Promise<void> {
    await nodes.remove(session, holdOf(claim));
  }

  /** Creates the node, or reads the existing one, in one flight. `undefined`: check again. */
  async function enter(own: LiveClaim, path: string): Promise<ReadNode | undefined> {
    const { session, node } = own;
    if (node !== undefined || waiters.has(own, path)) {
      const read = node === undefined ? await nodes.read(session, path) : await latest(session, path);
      if (node !== undefined && !isOwn(own, read)) own.hasNoNode();
      if (read !== undefined) return read;
    }
    const base = tokens.cached(session)?.value;
    own.requestNode();
    const hold = holdOf(own.claim);
    const data = writeNodeData({ owner: own.claim.owner, base });
    const making = session.send(multi([nodes.ephemeral(path, data), nodes.ephemeral(hold, '')]));
    const reading = nodes.read(session, path);
    // Without the reply to the first the second has none.
    reading.catch(() => {});
    const made = await making;
    own.requestRefused(isDoubtful(made));
    if (!made.ok) throw refusal(made, path);
    if (made.value.committed) {
      own.hasNode({ path, ...madeBy(made.zxid), base });
      return undefined;
    }
    const failed = failedStep(made.value);
    if (failed.error === 'NO_NODE') {
      await nodes.makeRoot(session);
      return undefined;
    }
    if (failed.error !== 'NODE_EXISTS') throw refusal(failed, path);
    if (failed.index > 0) {
      // It is of an earlier hold, whose other node another client has removed.
      await nodes.remove(session, hold);
      return undefined;
    }
    const read = await reading;
    if (read !== undefined && isOwn(own, read)) {
      own.hasNode({ path, ...madeBy(read.stat.czxid), zxid: read.stat.mzxid, base: baseIn(read.data) });
    }
    return read;
  }

  /** Removes both nodes of a hold. `false`: it had ended. */
  async function end(session: Session, claim: Claim, path: string): Promise<boolean> {
    const hold = holdOf(claim);
    const answer = await session.send(
      multi([
        { type: 'remove', path: hold },
        { type: 'remove', path },
      ]),
    );
    if (!answer.ok) throw refusal(answer, path);
    if (answer.value.committed) return true;
    const failed = failedStep(answer.value);
    if (failed.error !== 'NO_NODE') throw refusal(failed, failed.index === 0 ? hold : path);
    if (failed.index > 0) await nodes.remove(session, hold);
    return false;
  }

  function holdOf({ owner }: Claim): string {
    return nodes.under(`${holdPrefix}${uuidOf(owner)}`);
  }

  function latest(session: Session, path: string): Promise<ReadNode | undefined> {
    return nodes.latest(session, path, () => nodes.read(session, path));
  }

  function isOwn({ session, claim }: LiveClaim, read: ReadNode | undefined): boolean {
    return read?.stat.ephemeralOwner === session.id && readNodeData(read.data)?.owner === claim.owner;
  }

  return {
    fair: false,
    shared: false,
    async attempt(own, claim) {
      const path = nodes.ofKey(claim.key);
      if (claim.mode === 'shared') throw exclusiveOnly(claim.key);
      for (let look = 0; look < looks; look += 1) {
        const node = await enter(own, path);
        if (own.node !== undefined) {
          await waiters.entered(own, path);
          return { holds: true };
        }
        if (node === undefined) continue;
        if (node.stat.ephemeralOwner === 0n) {
          waiters.leave(own, path);
          throw isFolder(path);
        }
        if (!own.waits) return waitingFor(waitAt(1));
        const watch = await waiters.join(own, path);
        if (watch !== 'missing') return waitingWith(watch, 1);
      }
      return waitingFor(1);
    },
    async leave(own) {
      const { session } = own;
      const path = nodes.ofKey(own.claim.key);
      waiters.leave(own, path);
      // The present server may lag behind the one that received the request.
      const read = own.uncertain ? await latest(session, path) : await nodes.read(session, path);
      const there = isOwn(own, read);
      const removed = there && (await end(session, own.claim, path));
      if (!there && own.node !== undefined) await gone(own);
      own.hasNoNode();
      return removed;
    },
    gone,
    async evict(session, claim) {
      const path = nodes.ofKey(claim.key);
      const read = await latest(session, path);
      if (read === undefined || read.stat.ephemeralOwner === 0n || ownerOf(read, path) !== claim.owner) return false;
      // Another library's has no second node.
      if (readNodeData(read.data) === undefined) return await nodes.remove(session, path);
      return await end(session, claim, path);
    },
    async inspect(session, key) {
      const path = nodes.ofKey(key);
      const read = await latest(session, path);
      if (read === undefined || read.stat.ephemeralOwner === 0n) return { key, holders: [], waiters: 0 };
      const data = readNodeData(read.data);
      const token = data === undefined ? undefined : tokenIn(data, read.stat);
      const holder = { owner: ownerOf(read, path), mode: 'exclusive' } as const;
      return { key, holders: [token === undefined ? holder : { ...holder, token }], waiters: 0 };
    },
    async used(session, names) {
      const stats = names.map((name) => nodes.exists(session, nodes.under(name)));
      return (await Promise.all(stats)).map((stat) => stat !== undefined && stat.ephemeralOwner !== 0n);
    },
  };
}

/** Another library's holder: the data of its node if that may be an owner, else the node's name. */
function ownerOf({ data }: ReadNode, path: string): string {
  return readNodeData(data)?.owner ?? (/^[ -~]{1,250}$/.test(data) ? data : nameOf(path));
}

function exclusiveOnly(key: string): LockError {
  const message = `${JSON.stringify(key)} cannot be shared: with option "fair: false" ZooKeeper has exclusive locks only.`;
  return new LockError('LOCK_INVALID', message, { key });
}

function isFolder(path: string): LockError {
  return new LockError(
    'LOCK_MISCONFIGURED',
    `ZooKeeper: ${JSON.stringify(path)} is a folder that fair locks use; with option "fair: false" use another root.`,
  );
}
