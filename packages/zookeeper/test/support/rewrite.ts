import type { ProxyOptions, Way } from '@locks/test-servers';
import { frames } from './frames.ts';

/** One frame of what a server sends, as a test changes it. */
export interface Reply {
  /** With its length. */
  readonly frame: Buffer;
  readonly xid: number;
}

/** For a proxy: `change` gets every reply, and gives what shall come instead. */
export function rewriteReplies(change: (reply: Reply) => Buffer): {
  rewrite(piece: Buffer, way: Way, connection: object): Buffer;
} {
  const connections = new WeakMap<object, (piece: Buffer) => Buffer>();
  return {
    rewrite(piece, way, connection) {
      if (way === 'requests') return piece;
      const changed = connections.get(connection) ?? changeFrames(change);
      connections.set(connection, changed);
      return changed(piece);
    },
  };
}

/**
 * For the pieces of one connection. A piece may end within a frame, which passes when it is whole.
 */
function changeFrames(change: (reply: Reply) => Buffer): (piece: Buffer) => Buffer {
  let changed: Buffer[] = [];
  const take = frames((frame) => {
    changed.push(change({ frame: Buffer.from(frame), xid: frame.readInt32BE(4) }));
  });
  return (piece) => {
    changed = [];
    take(piece);
    return Buffer.concat(changed);
  };
}

/** The same reply with another error code, and no body. */
export function withError({ frame }: Reply, code: number): Buffer {
  const header = Buffer.from(frame.subarray(0, 20));
  header.writeInt32BE(16, 0);
  header.writeInt32BE(code, 16);
  return header;
}

/** The same for the replies to requests of the operation `op`, one at a time. */
export function rewriteRepliesTo(op: number, change: (reply: Reply) => Buffer): Pick<ProxyOptions, 'rewrite'> {
  let asked: number | undefined;
  const { rewrite } = rewriteReplies((reply) => {
    if (reply.xid !== asked) return reply.frame;
    asked = undefined;
    return change(reply);
  });
  return {
    rewrite(piece, way, connection) {
      if (way === 'requests' && piece.length >= 12 && piece.readInt32BE(8) === op) asked = piece.readInt32BE(4);
      return rewrite(piece, way, connection);
    },
  };
}
