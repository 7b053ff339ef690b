import { readNodeData } from '../../nodes/node-data.ts';
import { isDoubtful } from '../../nodes/refusal.ts';
import type { Answer } from '../../wire/answer.ts';
import type { Call, NewNode } from '../../wire/call.ts';
import type { MultiOutcome } from '../../wire/multi.ts';
import type { Stat } from '../../wire/records.ts';

/** Sends a call over the client's present connection. */
export type Perform = (call: Call) => Promise<Answer<unknown>>;

/**
 * The ephemeral nodes of a session that cannot be ended because its client belongs to the caller.
 * Other providers may use the same session.
 */
export class OwnNodes {
  /** By paths, without the server's numbers: the data of nodes that may exist. */
  readonly #made = new Map<string, Set<string>>();

  /**
   * Call it before sending a request, and the returned function with the answer. Without one it may
   * remain unknown whether nodes were created.
   */
  sending(call: Call): (answer: Answer<unknown>) => void {
    const added = madeBy(call).filter(({ path, data }) => this.#add(path, data.toString()));
    return (answer) => {
      if (isDone(answer)) for (const path of removedBy(call)) this.#removed(path);
      else if (!isDoubtful(answer)) for (const { path, data } of added) this.#forget(path, data.toString());
    };
  }

  /** Removes those that `session` still has. Rejects when the connection ends. */
  async removeAll(session: bigint, perform: Perform): Promise<void> {
    for (const [start, made] of this.#made) {
      const folder = start.slice(0, start.lastIndexOf('/')) || '/';
      const listed = await perform({ type: 'getChildren', path: folder });
      const names = listed.ok ? (listed.value as { readonly children: readonly string[] }).children : [];
      for (const name of names) {
        const path = folder === '/' ? `/${name}` : `${folder}/${name}`;
        if (!path.startsWith(start) || !/^(\d{10})?$/.test(path.slice(start.length))) continue;
        const found = await perform({ type: 'getData', path, watch: false });
        if (!found.ok) continue;
        const { data, stat } = found.value as { readonly data: Buffer; readonly stat: Stat };
        if (stat.ephemeralOwner === session && isOf(made, data.toString()))
          await perform({ type: 'remove', path, version: -1 });
      }
      this.#made.delete(start);
    }
  }

  /** `false`: known already, from an earlier request. */
  #add(path: string, data: string): boolean {
    const made = this.#made.get(path) ?? new Set();
    this.#made.set(path, made);
    if (made.has(data)) return false;
    made.add(data);
    return true;
  }

  #forget(path: string, data: string): void {
    const made = this.#made.get(path);
    made?.delete(data);
    if (made?.size === 0) this.#made.delete(path);
  }

  #removed(path: string): void {
    if (!this.#made.delete(path)) this.#made.delete(path.slice(0, -10));
  }
}

/** Those that end with the session. */
function madeBy(call: Call): readonly NewNode[] {
  const nodes = call.type === 'create' ? [call.node] : call.type === 'multi' ? call.operations : [];
  return nodes.filter((node) => 'kind' in node && node.kind.startsWith('ephemeral')) as readonly NewNode[];
}

function removedBy(call: Call): readonly string[] {
  if (call.type === 'remove') return [call.path];
  if (call.type !== 'multi') return [];
  return call.operations.filter(({ type }) => type === 'remove').map(({ path }) => path);
}

function isDone(answer: Answer<unknown>): boolean {
  return answer.ok && (answer.value as Partial<MultiOutcome> | undefined)?.committed !== false;
}

/** Whether a node with `data` is one of those `made`: it may have been rewritten. */
function isOf(made: ReadonlySet<string>, data: string): boolean {
  const owner = readNodeData(data)?.owner;
  return [...made].some((text) => readNodeData(text)?.owner === owner);
}
