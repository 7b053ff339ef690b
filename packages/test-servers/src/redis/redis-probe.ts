import { connect } from 'node:net';
import { addressOf } from '../server/address.ts';
import type { LocalServer } from '../server/definition.ts';
import { ask } from '../support/ask.ts';

/**
 * Resolves when the Redis at `url`, and the process `local` if set, answers PING; otherwise
 * rejects, within 1 s.
 */
export async function probeRedis(url: URL, local?: LocalServer): Promise<void> {
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  const login = password ? [['AUTH', ...(user ? [user] : []), password]] : [];
  const { host, port } = addressOf(url, 6379);
  const commands = [...login, ['PING'], ['INFO', 'server']];
  const socket = connect({ host, port });
  const answer = ask(socket, 'PING', commands.map(encode).join(''));
  // The server closes the connection when it has answered everything.
  socket.end();
  const reply = await answer;
  const refusal = /^-(.*)\r\n/m.exec(reply)?.[1];
  if (refusal !== undefined || !/^\+PONG\r\n/m.test(reply)) throw new Error(`the server says ${refusal ?? reply}`);
  const answering = Number(/^process_id:(\d+)/m.exec(reply)?.[1]);
  if (local !== undefined && answering !== local.pid)
    throw new Error(`process ${answering} answers there, instead of ${local.pid}`);
}

function encode(command: readonly string[]): string {
  const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
  return `*${command.length}\r\n${parts.join('')}`;
}
