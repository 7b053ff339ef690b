import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { serveParent } from '@locks/conformance/processes';
import { now } from '../clock.ts';
import type { RegisterEvent } from '../log/events.ts';
import { openLog } from '../log/writer.ts';
import type { Listen } from './listen.ts';

/** A request; a write has a `value`. */
interface Request {
  readonly n: number;
  readonly id: string;
  readonly key: string;
  readonly token: string;
  readonly value?: number;
}

// What the locks protect: a number for each key. It refuses every token below the highest that it
// has seen.
let append: (event: RegisterEvent) => void = () => {};
const cells = new Map<string, { highest: bigint; value: number }>();

const server = createServer((connection) => {
  const requests = createInterface({ input: connection });
  requests.on('line', (line) => {
    const request = JSON.parse(line) as Request;
    const answer = handle(request);
    if (connection.writable) connection.write(`${JSON.stringify({ n: request.n, ...answer })}\n`);
  });
  // A worker may be killed in the middle of a request.
  connection.on('error', () => {});
  requests.on('error', () => {});
});
serveParent(async ({ socket, log }: Listen) => {
  append = openLog<RegisterEvent>(log);
  server.listen(socket);
  await once(server, 'listening');
});

function handle({ id, key, token, value }: Request): { readonly ok: boolean; readonly value: number } {
  const at = now();
  const cell = cells.get(key) ?? { highest: 0n, value: 0 };
  cells.set(key, cell);
  const ok = BigInt(token) >= cell.highest;
  if (ok) {
    cell.highest = BigInt(token);
    cell.value = value ?? cell.value;
  }
  append({ at, type: ok ? (value === undefined ? 'read' : 'written') : 'refused', id, key, token, value: cell.value });
  return { ok, value: cell.value };
}
