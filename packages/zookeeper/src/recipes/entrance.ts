import type { FolderCleanup } from '../nodes/folder-cleanup.ts';
import type { Nodes } from '../nodes/nodes.ts';
import { madeBy } from '../nodes/own-node.ts';
import type { OwnNode } from '../nodes/own-node.ts';
import { folderOf } from '../nodes/paths.ts';
import { isDoubtful, refusal } from '../nodes/refusal.ts';
import { failedStep, multi } from '../wire/multi.ts';
import type { LiveClaim } from './live-claim.ts';

/** A numbered node to create. */
interface NewPlace {
  /** The folders that it needs: the key's first. */
  readonly containers: readonly [string, ...string[]];
  readonly path: string;
  readonly data: string;
  /** The base in `data`. */
  readonly base: bigint | undefined;
}

/**
 * Creates the node of a claim, and calls `read`, if set, in the same flight. Resolves with its
 * promise as soon as the node is created. `undefined`: the folder was missing. Then the claim has
 * the first node in it, or none if the folders have changed: begin again.
 */
export type Enter = <T>(
  own: LiveClaim,
  place: NewPlace,
  read: (() => Promise<T>) | undefined,
) => Promise<{ readonly reading: Promise<T> | undefined } | undefined>;

/** How the claims of one recipe get their nodes. */
export function createEntrance(nodes: Nodes, folders: FolderCleanup): Enter {
  /** Folders that a claim of this process is creating. Resolves when it has, or has failed. */
  const making = new Map<string, Promise<void>>();

  async function makeFirst(own: LiveClaim, place: NewPlace): Promise<OwnNode | undefined> {
    const folder = folderOf(place.path);
    const others = making.get(folder);
    // Of many such simultaneous transactions all but one fail, and each costs the servers the same.
    if (others !== undefined) {
      await others;
      return undefined;
    }
    const made = makeWithFolders(own, place, place.containers);
    const settled = (): void => void making.delete(folder);
    making.set(folder, made.then(settled, settled));
    return await made;
  }

  /**
   * Creates the folders and the node together, as the servers keep a container that never had a
   * child.
   */
  async function makeWithFolders(
    own: LiveClaim,
    place: NewPlace,
    containers: readonly string[],
  ): Promise<OwnNode | undefined> {
    const { path, data, base } = place;
    const steps = [...containers.map((container) => nodes.container(container)), nodes.numbered(path, data)];
    const answer = await own.session.send(multi(steps));
    if (!answer.ok) throw refusal(answer, path);
    const made = answer.value.results.at(-1);
    if (made?.ok && made.path !== undefined) return { path: made.path, ...madeBy(answer.zxid), base };
    const failed = failedStep(answer.value);
    if (failed.error === 'NODE_EXISTS') {
      const missing = containers.slice(failed.index + 1);
      return missing.length === 0 ? undefined : await makeWithFolders(own, place, missing);
    }
    const refused = containers[failed.index] ?? path;
    if (failed.error !== 'NO_NODE') throw refusal(failed, refused);
    if (folderOf(refused) === nodes.root) await nodes.makeRoot(own.session);
    return undefined;
  }

  return async (own, place, read) => {
    const { path, data, base, containers } = place;
    own.requestNode();
    folders.entered(containers[0]);
    const sent = nodes.make(own.session, path, 'ephemeral-sequential', data);
    const reading = read?.();
    // Without the reply to the first the second has none.
    reading?.catch(() => {});
    const made = await sent;
    if (made.ok) {
      own.hasNode({ path: made.value.path, ...madeBy(made.value.stat.czxid), base });
      return { reading };
    }
    own.requestRefused(made.error === 'NO_NODE' || isDoubtful(made));
    if (made.error !== 'NO_NODE') throw refusal(made, containers[0]);
    const first = await makeFirst(own, place);
    own.requestRefused(false);
    if (first === undefined) return undefined;
    own.hasNode(first);
    folders.made(containers[0]);
    return undefined;
  };
}
