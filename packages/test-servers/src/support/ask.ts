import type { Socket } from 'node:net';

/**
 * Sends `request` over a new connection, and resolves to everything that the server answers before
 * it closes the connection. Rejects if this is nothing, or takes longer than `timeout` ms. `what`
 * names the request in messages.
 */
export function ask(socket: Socket, what: string, request: string, timeout: number = 1_000): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const deadline = setTimeout(() => socket.destroy(new Error(`no answer to ${what} within ${timeout} ms`)), timeout);
    socket.setEncoding('utf8');
    socket.write(request);
    socket.on('data', (text: string) => (received += text));
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(deadline);
      if (received === '') reject(new Error(`the server closed the connection instead of answering ${what}`));
      else resolve(received);
    });
  });
}
