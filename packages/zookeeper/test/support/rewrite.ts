import type { Way } from '@locks/test-servers';

/** One frame of what a server sends, as a test changes it. */
export interface Reply {
  /** With its length. */
  readonly frame: Buffer;
  readonly xid: number;
}

/** For a proxy: `change` gets every reply, and gives what shall come instead. */
export function rewriteReplies(change: (reply: Reply) => Buffer): { rewrite(piece: Buffer, way: Way): Buffer } {
  return {
    rewrite(piece, way) {
      if (way === 'requests') return piece;
      const frames: Buffer[] = [];
      let rest = piece;
      while (rest.length >= 8 && rest.length >= 4 + rest.readInt32BE(0)) {
        const end = 4 + rest.readInt32BE(0);
        frames.push(change({ frame: Buffer.from(rest.subarray(0, end)), xid: rest.readInt32BE(4) }));
        rest = rest.subarray(end);
      }
      return Buffer.concat([...frames, rest]);
    },
  };
}

/** The same reply with another error code, and no body. */
export function withError({ frame }: Reply, code: number): Buffer {
  const header = Buffer.from(frame.subarray(0, 20));
  header.writeInt32BE(16, 0);
  header.writeInt32BE(code, 16);
  return header;
}
