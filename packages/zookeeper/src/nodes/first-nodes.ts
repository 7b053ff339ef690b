import type { Sender } from '../session/session.ts';
import { failedStep, multi } from '../wire/multi.ts';
import type { Nodes } from './nodes.ts';
import { folderOf } from './paths.ts';
import { refusal } from './refusal.ts';

/** A node that was made with the folder it is in. */
export interface FirstNode {
  readonly path: string;
  readonly czxid: bigint;
}

/** A numbered node to be made together with the containers that it needs, the outermost first. */
export interface FirstNodeParts {
  readonly containers: readonly string[];
  readonly path: string;
  readonly data: string;
}

/** The first nodes of folders, each made in one transaction with its folder. */
export class FirstNodes {
  readonly #nodes: Nodes;
  /** Folders that a claim of this process is making. Resolves when it has, or has failed. */
  readonly #making: Map<string, Promise<undefined>> = new Map();

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
  }

  /**
   * Makes the folders and the node together, because the servers keep a container that never had a
   * child. `undefined`: the folders have changed meanwhile, begin again.
   */
  async make(session: Sender, parts: FirstNodeParts): Promise<FirstNode | undefined> {
    const folder = folderOf(parts.path);
    const others = this.#making.get(folder);
    // Of many such transactions at once all but one fail, and each costs the servers the same.
    if (others !== undefined) return await others;
    const making = this.#make(session, parts);
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

  async #make(session: Sender, { containers, path, data }: FirstNodeParts): Promise<FirstNode | undefined> {
    const nodes = this.#nodes;
    const folders = containers.map((container) => nodes.container(container));
    const answer = await session.send(multi([...folders, nodes.numbered(path, data)]));
    if (!answer.ok) throw refusal(answer, path);
    const made = answer.value.results.at(-1);
    if (made?.ok && made.path !== undefined) return { path: made.path, czxid: answer.zxid };
    const failed = failedStep(answer.value);
    if (failed.error === 'NODE_EXISTS') {
      const missing = containers.slice(failed.index + 1);
      return missing.length === 0 ? undefined : await this.#make(session, { containers: missing, path, data });
    }
    const refused = containers[failed.index] ?? path;
    if (failed.error !== 'NO_NODE') throw refusal(failed, refused);
    if (folderOf(refused) === nodes.root) await nodes.makeRoot(session);
    return undefined;
  }
}
