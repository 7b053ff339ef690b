import { Client } from 'pg';
import type { PostgresExecutor, PostgresExecutorConnection } from '../../src/index.ts';

/** An executor as an application may write one, over connections of pg and nothing else of it. */
export function openExecutor(
  url: string,
  max: number,
): { readonly executor: PostgresExecutor; readonly end: () => Promise<void> } {
  const idle: Client[] = [];
  const waiting: (() => void)[] = [];
  const all = new Set<Client>();
  const lent = new WeakMap<Client, PostgresExecutorConnection>();
  let opening = 0;

  function drop(client: Client): void {
    all.delete(client);
    const index = idle.indexOf(client);
    if (index !== -1) idle.splice(index, 1);
    waiting.shift()?.();
  }

  async function open(): Promise<Client> {
    const client = new Client(url);
    client.on('error', () => drop(client));
    client.on('end', () => drop(client));
    opening += 1;
    try {
      await client.connect();
    } catch (error) {
      waiting.shift()?.();
      throw error;
    } finally {
      opening -= 1;
    }
    all.add(client);
    lent.set(client, {
      query: (text, values) => client.query(text, values.length === 0 ? undefined : [...values]),
      release(broken) {
        if (!all.has(client)) return;
        if (broken) {
          drop(client);
          (client as unknown as { readonly connection: { stream: { destroy(): void } } }).connection.stream.destroy();
        } else {
          idle.push(client);
          waiting.shift()?.();
        }
      },
    });
    return client;
  }

  return {
    executor: {
      database: 'postgres',
      max,
      async connect() {
        while (idle.length === 0 && all.size + opening >= max) {
          await new Promise<void>((resolve) => waiting.push(resolve));
        }
        const client = idle.pop() ?? (await open());
        return lent.get(client) as PostgresExecutorConnection;
      },
    },
    async end() {
      await Promise.all([...all].map((client) => client.end()));
    },
  };
}
