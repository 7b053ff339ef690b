import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { frames } from './frames.ts';

/** Hands every request on twice, when told to, and one of the two replies back. */
export interface Doubler {
  readonly port: number;
  double(): () => void;
  stop(): Promise<void>;
}

/** In front of the ZooKeeper at `host` and `port`. */
export async function startDoubler(target: { readonly host: string; readonly port: number }): Promise<Doubler> {
  let doubling = false;
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(target.port, target.host);
    const expected: number[] = [];
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    let first = true;
    client.once('data', (piece) => {
      // A four-letter word is no frame.
      const words = /^[a-z]{4}/.test(piece.toString('latin1'));
      client.on('data', words ? (more) => void server.write(more) : requests);
      client.emit('data', piece);
      if (words) server.on('data', (answer) => void client.write(answer));
      else server.on('data', replies);
    });
    const requests = frames((frame) => {
      const numbered = !first && frame.readInt32BE(4) > 0;
      first = false;
      if (numbered && doubling) expected.push(frame.readInt32BE(4));
      server.write(numbered && doubling ? Buffer.concat([frame, frame]) : frame);
    });
    let answered = false;
    const seen = new Set<number>();
    const replies = frames((frame) => {
      const number = answered ? frame.readInt32BE(4) : 0;
      answered = true;
      // Replies come in the order of the requests: the second one is the one to keep back.
      if (number > 0 && expected.includes(number)) {
        if (seen.has(number)) {
          seen.delete(number);
          expected.splice(expected.indexOf(number), 1);
          return;
        }
        seen.add(number);
      }
      client.write(frame);
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as { readonly port: number }).port,
    double() {
      doubling = true;
      return () => {
        doubling = false;
      };
    },
    async stop() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
