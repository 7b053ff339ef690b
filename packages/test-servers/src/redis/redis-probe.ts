import { connect } from 'node:net';
import { addressOf } from '../server/address.ts';
import type { LocalServer } from '../server/definition.ts';

/**
 * Resolves when the Redis at `url`, and the process `local` if it is given, answers PING; rejects
 * otherwise, within 1 s.
 */
export async function probeRedis(url: URL, local?: LocalServer): Promise<void> {
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  const login = password ? [['AUTH', ...(user ? [user] : []), password]] : [];
  if (local === undefined) {
    await exchange(url, [...login, ['PING']], /^\+PONG\r\n/m);
    return;
  }
  const reply = await exchange(url, [...login, ['PING'], ['INFO', 'server']], /^\+PONG\r\n[^]*^process_id:\d+\r\n/m);
  const answering = Number(/^process_id:(\d+)/m.exec(reply)?.[1]);
  if (answering !== local.pid) throw new Error(`process ${answering} answers there, instead of ${local.pid}`);
}

/**
 * Sends commands and resolves to the replies once they match `enough`; rejects at the first error
 * reply.
 */
function exchange(url: URL, commands: readonly string[][], enough: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const { host, port } = addressOf(url, 6379);
    let received = '';
    const socket = connect({ host, port });
    const deadline = setTimeout(() => socket.destroy(new Error('no answer to PING within 1000 ms')), 1_000);
    socket.setEncoding('utf8');
    socket.once('connect', () => socket.write(commands.map(encode).join('')));
    socket.on('data', (text: string) => {
      received += text;
      const refusal = /^-(.*)\r\n/m.exec(received)?.[1];
      if (refusal !== undefined) socket.destroy(new Error(`the server says ${refusal}`));
      else if (enough.test(received)) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('end', () => socket.destroy(new Error('the server closed the connection')));
    socket.once('close', () => {
      clearTimeout(deadline);
      resolve(received);
    });
  });
}

function encode(command: readonly string[]): string {
  const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
  return `*${command.length}\r\n${parts.join('')}`;
}
