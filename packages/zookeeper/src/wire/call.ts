import type { Acl } from './records.ts';

/** Whose end removes a node, and whether the server appends a number of ten digits to its name. */
export type NodeKind = 'persistent' | 'ephemeral' | 'ephemeral-sequential' | 'persistent-sequential' | 'container';

export interface NewNode {
  readonly path: string;
  readonly data: Buffer;
  readonly acl: readonly Acl[];
  readonly kind: NodeKind;
  /**
   * A container that may exist already, and be created before the other steps of its transaction:
   * not all clients can create one in a transaction.
   */
  readonly beforehand?: true;
}

/** One step of a `multi`. A version of -1, or none, matches any. */
export type Operation =
  | ({ readonly type: 'create' } & NewNode)
  | { readonly type: 'remove'; readonly path: string; readonly version?: number }
  | { readonly type: 'setData'; readonly path: string; readonly data: Buffer; readonly version?: number }
  /** Fails unless the node exists, in this version. Needs the permission to read. */
  | { readonly type: 'check'; readonly path: string; readonly version?: number };

/** The content of a request, without its encoding. */
export type Call =
  | { readonly type: 'create'; readonly node: NewNode }
  | { readonly type: 'remove'; readonly path: string; readonly version: number }
  | { readonly type: 'getData'; readonly path: string; readonly watch: boolean }
  | { readonly type: 'exists' | 'getChildren' | 'sync' | 'removeWatches'; readonly path: string }
  | { readonly type: 'setData'; readonly path: string; readonly data: Buffer; readonly version: number }
  | { readonly type: 'multi'; readonly operations: readonly Operation[] }
  | { readonly type: 'setWatches'; readonly lastZxid: bigint; readonly paths: readonly string[] }
  | { readonly type: 'closeSession' };
