/** Calls `take` with each frame of a stream, its length included. */
export function frames(take: (frame: Buffer) => void): (piece: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const end = 4 + rest.readInt32BE(0);
      take(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}

/** What calls of a provider begin with, and neither heartbeats nor what a connection is set up with: exists, getData, getChildren, create, remove. */
const providerCalls: ReadonlySet<number> = new Set([2, 3, 4, 12, 15]);

/** Whether `piece`, which a client sent, begins with a request of a provider. */
export function isProviderCall(piece: Buffer): boolean {
  return piece.length >= 12 && piece.readInt32BE(4) > 0 && providerCalls.has(piece.readInt32BE(8));
}
