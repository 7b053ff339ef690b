import type { NewNode, NodeKind } from './call.ts';
import { ProtocolError } from './protocol-error.ts';
import type { Reader } from './reader.ts';
import { readStat, writeAcl } from './records.ts';
import type { Stat } from './records.ts';
import { readNothing } from './request.ts';
import type { Request } from './request.ts';

export const createFlags: Readonly<Record<NodeKind, number>> = {
  persistent: 0,
  ephemeral: 1,
  'persistent-sequential': 2,
  'ephemeral-sequential': 3,
  container: 4,
};

/** Creates a node. A container is removed by the server some time after its last child. */
export function create(node: NewNode): Request<{ readonly path: string; readonly stat: Stat }> {
  const { path, data, acl, kind } = node;
  return {
    // "createContainer" or "create2", which answer with the node's Stat
    op: kind === 'container' ? 19 : 15,
    call: { type: 'create', node },
    what: `the creation of "${path}"`,
    write(writer) {
      writer.string(path);
      writer.bytes(data);
      writeAcl(writer, acl);
      writer.int(createFlags[kind]);
    },
    read: (reader) => ({ path: readCreated(reader, node), stat: readStat(reader) }),
  };
}

/** The path of a created node, to which the server may have appended a number. */
export function readCreated(reader: Reader, { path, kind }: NewNode): string {
  const created = reader.string();
  const rest = created.startsWith(path) ? created.slice(path.length) : undefined;
  // A garbled path would be kept, and asked for again and again. Numbers beyond 2^31 are negative.
  const isPossible = kind.endsWith('sequential') ? /^[-\d]\d{9}\d?$/.test(rest ?? '') : rest === '';
  if (!isPossible) throw new ProtocolError(`the creation of ${JSON.stringify(created)} where ${path} was asked for`);
  return created;
}

/** @param version -1: any. */
export function remove(path: string, version: number = -1): Request<void> {
  return {
    op: 2,
    call: { type: 'remove', path, version },
    what: `the removal of "${path}"`,
    write(writer) {
      writer.string(path);
      writer.int(version);
    },
    read: readNothing,
  };
}

export function exists(path: string): Request<Stat> {
  return {
    op: 3,
    call: { type: 'exists', path },
    what: `a look for "${path}"`,
    write(writer) {
      writer.string(path);
      writer.bool(false);
    },
    read: readStat,
  };
}

/** @param watch For the next change, or the end, of the node. */
export function getData(path: string, watch: boolean = false): Request<{ readonly data: Buffer; readonly stat: Stat }> {
  return {
    op: 4,
    call: { type: 'getData', path, watch },
    what: `a reading of "${path}"`,
    write(writer) {
      writer.string(path);
      writer.bool(watch);
    },
    read: (reader) => ({ data: reader.bytes(), stat: readStat(reader) }),
  };
}

/** The names of the children, in no order. */
export function getChildren(path: string): Request<{ readonly children: readonly string[]; readonly stat: Stat }> {
  return {
    op: 12,
    call: { type: 'getChildren', path },
    what: `a list of "${path}"`,
    write(writer) {
      writer.string(path);
      writer.bool(false);
    },
    read: (reader) => ({ children: reader.vector(4, () => reader.string()), stat: readStat(reader) }),
  };
}

/** @param version -1: any. */
export function setData(path: string, data: Buffer, version: number = -1): Request<Stat> {
  return {
    op: 5,
    call: { type: 'setData', path, data, version },
    what: `a change of "${path}"`,
    write(writer) {
      writer.string(path);
      writer.bytes(data);
      writer.int(version);
    },
    read: readStat,
  };
}

/**
 * Answered when the server has seen all transactions that the leader had committed before. Send it
 * before a read.
 */
export function sync(path: string): Request<void> {
  return {
    op: 9,
    call: { type: 'sync', path },
    what: `a sync of "${path}"`,
    write: (writer) => writer.string(path),
    read: (reader) => {
      reader.string();
    },
  };
}
