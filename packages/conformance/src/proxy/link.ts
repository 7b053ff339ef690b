import type { Socket } from 'node:net';
import { createConditions } from './conditions.ts';
import type { Conditions, Direction, SetTrap, Way } from './conditions.ts';
import { type Target, dial } from './dial.ts';
import { type Item, startPump } from './pump.ts';

/**
 * One connection of a client with its connection to the server, and its shadow, if requests are
 * duplicated.
 */
export interface Link {
  readonly clientOpen: boolean;
  /** How many connections to the server are open. */
  readonly serverConnections: number;
  /** Resets all of it. */
  cut(): void;
  /** Becomes silent in both directions, permanently. */
  strand(): void;
  /** Holds this direction, until the returned function is called. */
  stall(direction: Direction): () => void;
  /** Delivers what was held. */
  flush(): void;
  /** Ends its stalls, and delivers what was held. */
  pass(): void;
  /** Requests go to the server once only. */
  endShadow(): void;
  /** Resolves when nothing of it is open. */
  readonly closed: Promise<void>;
}

/**
 * Returns what passes in place of a piece. `connection` is the same object for all pieces of one
 * connection, and for no others: use it as the key of state between pieces.
 */
export type Rewrite = (piece: Buffer, way: Way, connection: object) => Buffer;

export interface LinkOptions {
  readonly client: Socket;
  /** To `target`, in the making or made. */
  readonly server: Socket;
  readonly target: Target;
  readonly conditions: Conditions;
  readonly rewrite: Rewrite;
}

export function openLink({ client, server, target, conditions, rewrite }: LinkOptions): Link {
  const shadow = conditions.duplicating ? dial(target).resume() : undefined;
  const toServer = shadow === undefined ? [server] : [server, shadow];
  const sockets = [client, ...toServer];
  let dropping: SetTrap | undefined;
  let shadowAnswered = true;
  let stranded = false;
  const own = createConditions();

  const requests = startPump({
    from: client,
    to: server,
    delay: () => conditions.delay('requests'),
    held: () => conditions.holding('requests') || own.holding('requests'),
    deliver(arrived) {
      if (stranded || conditions.silent('requests')) return;
      if (typeof arrived === 'string') {
        for (const socket of toServer) finish(socket, arrived);
        return;
      }
      const item = rewrite(arrived, 'requests', client);
      if (item.length === 0) return;
      if (cutWithin(item, 'requests', toServer)) return;
      dropping ??= conditions.take('drop', 'requests', item);
      shadowAnswered = false;
      for (const socket of toServer) write(socket, item);
    },
  });

  const replies = startPump({
    from: server,
    to: client,
    delay: () => conditions.delay('replies'),
    // An answer to the client means that the request was executed: twice.
    held: () =>
      conditions.holding('replies') ||
      own.holding('replies') ||
      (shadow !== undefined && !shadow.closed && !shadowAnswered),
    deliver(arrived) {
      if (stranded) return;
      const item = typeof arrived === 'string' ? arrived : rewrite(arrived, 'replies', client);
      if (item.length === 0) return;
      if (dropping !== undefined && typeof item !== 'string') {
        cut();
        dropping.spring();
        return;
      }
      if (conditions.silent('replies')) return;
      if (typeof item === 'string') finish(client, item);
      else if (!cutWithin(item, 'replies', [client])) write(client, item);
    },
  });

  function hearShadow(): void {
    shadowAnswered = true;
    replies.flush();
  }

  function flush(): void {
    requests.flush();
    replies.flush();
  }

  function stopPumps(): void {
    requests.stop();
    replies.stop();
  }

  function cut(): void {
    stopPumps();
    for (const socket of sockets) reset(socket);
  }

  /** Passes a part of `piece` and cuts the connection there, if there is a trap for it. */
  function cutWithin(piece: Buffer, way: Way, to: readonly Socket[]): boolean {
    const trap = conditions.take('cut', way, piece);
    if (trap === undefined) return false;
    stopPumps();
    for (const socket of to) {
      write(socket, piece.subarray(0, trap.bytes ?? Math.floor(piece.length / 2)));
      // Not by a reset: it could overtake the part.
      socket.destroySoon();
    }
    for (const socket of sockets) if (!to.includes(socket)) reset(socket);
    trap.spring();
    return true;
  }

  // The pumps handle what a failure means for the other side.
  for (const socket of sockets) socket.on('error', () => {});
  shadow?.on('data', hearShadow).once('close', hearShadow);
  return {
    get clientOpen() {
      return !client.closed;
    },
    get serverConnections() {
      return toServer.filter((socket) => !socket.closed).length;
    },
    cut,
    strand() {
      stranded = true;
    },
    stall(direction) {
      const over = own.add({ kind: 'hold', direction });
      return () => {
        if (!over()) return;
        requests.deliverOneByOne();
        replies.deliverOneByOne();
      };
    },
    flush,
    pass() {
      own.clear();
      flush();
    },
    endShadow() {
      if (shadow !== undefined) reset(shadow);
    },
    closed: Promise.all(sockets.map(untilClosed)).then(() => {}),
  };
}

function write(socket: Socket, piece: Buffer): void {
  if (socket.writable) socket.write(piece);
}

function finish(socket: Socket, how: Exclude<Item, Buffer>): void {
  if (how === 'failure') reset(socket);
  else if (socket.writable) socket.end();
}

function reset(socket: Socket): void {
  // A socket that is still connecting has nothing to reset; one that is being ended rejects that,
  // and would never close.
  if (socket.connecting || (socket.writableEnded && !socket.writableFinished)) socket.destroy();
  else if (!socket.destroyed) socket.resetAndDestroy();
}

function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}
