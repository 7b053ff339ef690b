import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { listen } from '@locks/test-servers';
import { onTestFinished } from 'vitest';
import { frames } from './frames.ts';

/** Stands between a client and a ZooKeeper, and knows one request from another. */
export interface FrameProxy {
  readonly host: string;
  readonly port: number;
  /**
   * From now on the server gets every request twice; one of the two replies comes back. Ends with
   * what it returns.
   */
  double(): () => void;
  /**
   * The next call of a provider that succeeds takes effect, but its client gets a reset instead of
   * the reply.
   */
  dropReply(): void;
  /**
   * The client gets a reset instead of the reply to the request that comes after `requests` others.
   */
  cutAfter(requests: number): void;
  /**
   * The next request with these bytes stays here, and all that the same connection sends after it.
   */
  hold(text: string): HeldRequest;
  stop(): Promise<void>;
}

/** A request that has not reached the server. */
export interface HeldRequest {
  /** Resolves when the request has come. */
  readonly held: Promise<void>;
  /** What the connection has sent after it: the numbers of the operations. */
  readonly behind: readonly number[];
  /** Passes it on, and what came after it. */
  letGo(): void;
}

/**
 * What calls of a provider are made of, and neither heartbeats nor what a session is set up with:
 * remove, exists, create.
 */
const calls: ReadonlySet<number> = new Set([2, 3, 15]);
/** A transaction, and the step that a heartbeat consists of. */
const transaction = 14;
const check = 13;

/** Whether the reply to a request tells of a call that has succeeded. */
function succeeded(op: number, reply: Buffer): boolean {
  if (reply.readInt32BE(16) !== 0) return false;
  if (op !== transaction) return calls.has(op);
  const first = reply.readInt32BE(20);
  return first !== -1 && first !== check;
}

/** In front of the ZooKeeper at `target`. It stops with the test. */
export async function ownFrameProxy(target: { readonly host: string; readonly port: number }): Promise<FrameProxy> {
  const proxy = await startFrameProxy(target);
  onTestFinished(() => proxy.stop());
  return proxy;
}

/** In front of the ZooKeeper at `target`. */
export async function startFrameProxy(target: { readonly host: string; readonly port: number }): Promise<FrameProxy> {
  let doubling = false;
  let dropping = false;
  let left = Infinity;
  interface Holding {
    readonly text: string;
    readonly came: () => void;
    readonly released: Promise<void>;
    readonly behind: number[];
  }
  let holding: Holding | undefined;

  function link(client: Socket): void {
    const server = connect(target.port, target.host);
    /** Requests under way: their operation, and whether another reply is to come. */
    const underWay = new Map<number, { readonly op: number; readonly last: boolean; doubled: boolean }>();
    let connected = false;
    let answered = false;
    let released: Promise<void> | undefined;
    let behind: number[] = [];
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        server.destroy();
      });
    }

    const requests = frames((frame) => {
      if (holding !== undefined && frame.includes(holding.text)) {
        ({ released, behind } = holding);
        released = released.then(() => forward(frame));
        holding.came();
        holding = undefined;
        return;
      }
      if (released === undefined) {
        forward(frame);
        return;
      }
      behind.push(frame.readInt32BE(8));
      released = released.then(() => forward(frame));
    });
    const forward = (frame: Buffer): void => {
      const number = connected ? frame.readInt32BE(4) : 0;
      connected = true;
      const doubled = doubling && number > 0;
      if (number > 0) {
        underWay.set(number, { op: frame.readInt32BE(8), last: left === 0, doubled });
        left = left === 0 ? Infinity : left - 1;
      }
      server.write(doubled ? Buffer.concat([frame, frame]) : frame);
    };
    const replies = frames((frame) => {
      const number = answered ? frame.readInt32BE(4) : 0;
      answered = true;
      const request = underWay.get(number);
      if (request?.doubled) {
        // The replies to the two follow one another.
        request.doubled = false;
        return;
      }
      underWay.delete(number);
      const dropped = dropping && request !== undefined && succeeded(request.op, frame);
      if (dropped) dropping = false;
      if (dropped || request?.last === true) {
        client.resetAndDestroy();
        return;
      }
      client.write(frame);
    });
    client.once('data', (piece) => {
      // A four-letter word is no frame.
      const isWord = /^[a-z]{4}/.test(piece.toString('latin1'));
      client.on('data', isWord ? (more) => void server.write(more) : requests);
      server.on('data', isWord ? (more) => void client.write(more) : replies);
      client.emit('data', piece);
    });
  }

  const { host, port, stop } = await listen(link);
  return {
    host,
    port,
    stop,
    double() {
      doubling = true;
      return () => {
        doubling = false;
      };
    },
    dropReply() {
      dropping = true;
    },
    cutAfter(requests) {
      left = requests;
    },
    hold(text) {
      let letGo = (): void => {};
      const released = new Promise<void>((resolve) => (letGo = resolve));
      const behind: number[] = [];
      const held = new Promise<void>((came) => (holding = { text, came, released, behind }));
      return { held, behind, letGo };
    },
  };
}
