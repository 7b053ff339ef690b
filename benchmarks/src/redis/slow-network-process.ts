import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { serveParent } from '@locks/conformance/processes';

/** Where messages go, and their delay in ms. */
export interface NetworkRequest {
  readonly host: string;
  readonly port: number;
  readonly delay: number;
}

interface Message {
  readonly due: number;
  readonly to: Socket;
  readonly bytes: Buffer;
}

/** In the order in which they are due, as all take equally long. */
const underWay: Message[] = [];
let looks = false;

/** Timers of Node.js are whole ms: this polls the clock until nothing is in transit. */
function look(): void {
  const now = performance.now();
  while (underWay[0] !== undefined && underWay[0].due <= now) {
    const { to, bytes } = underWay.shift() as Message;
    to.write(bytes);
  }
  looks = underWay.length > 0;
  if (looks) setImmediate(look);
}

function relay(from: Socket, to: Socket, delay: number): void {
  from.setNoDelay(true);
  from.on('data', (bytes: Buffer) => {
    underWay.push({ due: performance.now() + delay, to, bytes });
    if (!looks) look();
  });
  from.on('error', () => {});
  from.on('close', () => to.destroy());
}

serveParent(async ({ host, port, delay }: NetworkRequest) => {
  const server = createServer((client) => {
    const upstream = connect(port, host);
    relay(client, upstream, delay);
    relay(upstream, client, delay);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
});
