import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { HistoryEvent } from '@locks/core/testing';
import { now } from '../clock.ts';
import type { Answer, Request } from '../worker/register-client.ts';

/** What the locks of a round protect. */
export interface Register {
  readonly port: number;
  /** Its events. */
  readonly events: readonly HistoryEvent[];
  stop(): void;
}

/**
 * Starts a number for each key. It rejects every token below the highest that it has seen. It lives
 * in the controller: a worker may be killed during a request.
 */
export async function startRegister(): Promise<Register> {
  const events: HistoryEvent[] = [];
  const cells = new Map<string, { highest: bigint; value: number }>();
  const connections = new Set<Socket>();

  function handle({ id, key, token, value }: Request): Pick<Answer, 'ok' | 'value'> {
    const at = now();
    const cell = cells.get(key) ?? { highest: 0n, value: 0 };
    cells.set(key, cell);
    const ok = BigInt(token) >= cell.highest;
    if (ok) {
      cell.highest = BigInt(token);
      cell.value = value ?? cell.value;
    }
    const type = ok ? (value === undefined ? 'read' : 'written') : 'refused';
    events.push({ type, at, process: 'register', id, key, token, value: cell.value });
    return { ok, value: cell.value };
  }

  const server = createServer((connection) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    connection.on('error', () => {});
    const requests = createInterface({ input: connection });
    requests.on('error', () => {});
    requests.on('line', (line) => {
      const request = JSON.parse(line) as Request;
      const answer: Answer = { n: request.n, ...handle(request) };
      if (connection.writable) connection.write(`${JSON.stringify(answer)}\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    events,
    stop() {
      server.close();
      for (const connection of connections) connection.destroy();
    },
  };
}
