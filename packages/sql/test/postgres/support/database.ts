import { startPostgres } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { Client } from 'pg';
import { sessions } from '../../servers/sessions.ts';

/** A server for one file. */
export function startServer(...settings: readonly string[]): Promise<ServerHandle> {
  const args = ['max_connections=300', ...settings].flatMap((setting) => ['-c', setting]);
  return startPostgres({ args });
}

export const { withClient, connect, serverOfFile } = sessions({
  async open(url) {
    const client = new Client(url);
    client.on('error', () => {});
    await client.connect();
    return client;
  },
  end: (client) => client.end(),
  startServer,
});
