import type { Call, NewNode, Operation } from '../../wire/call.ts';
import type { Answer } from '../../wire/answer.ts';
import type { Stat } from '../../wire/records.ts';

/** Asks the client, over the connection that it has. */
export type Perform = (call: Call) => Promise<Answer<unknown>>;

/**
 * The nodes of a session that end with it, where the session cannot be ended because its client
 * belongs to the caller.
 */
export class OwnNodes {
  /** Paths, without the numbers that the server puts behind them. */
  readonly #made = new Set<string>();

  /** A request is about to be sent. Whether it made its nodes may never be known. */
  sending(call: Call): void {
    const nodes: readonly (NewNode | Operation)[] =
      call.type === 'create' ? [call.node] : call.type === 'multi' ? call.operations : [];
    for (const node of nodes) {
      if ('kind' in node && (node.kind === 'ephemeral' || node.kind === 'ephemeral-sequential'))
        this.#made.add(node.path);
    }
  }

  /** The node at `path` is gone. */
  removed(path: string): void {
    if (!this.#made.delete(path)) this.#made.delete(path.slice(0, -10));
  }

  /** Removes those that `session` still has. Rejects when the connection ends. */
  async removeAll(session: bigint, perform: Perform): Promise<void> {
    for (const start of this.#made) {
      const folder = start.slice(0, start.lastIndexOf('/')) || '/';
      const listed = await perform({ type: 'getChildren', path: folder });
      const names = listed.ok ? (listed.value as { readonly children: readonly string[] }).children : [];
      for (const name of names) {
        const path = folder === '/' ? `/${name}` : `${folder}/${name}`;
        if (!path.startsWith(start)) continue;
        const found = await perform({ type: 'exists', path, watch: false });
        if (found.ok && (found.value as Stat).ephemeralOwner === session)
          await perform({ type: 'remove', path, version: -1 });
      }
      this.#made.delete(start);
    }
  }
}
