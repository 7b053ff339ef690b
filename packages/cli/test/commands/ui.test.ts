import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { createUser, locksOf } from '../support/locks-program.ts';
import type { Started } from '../support/locks-program.ts';

async function addressOf(started: Started): Promise<URL> {
  await expect.poll(started.written).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/\n$/);
  return new URL(started.written().trim());
}

async function ask(
  url: URL,
  method = 'GET',
  headers: OutgoingHttpHeaders = {},
): Promise<{ readonly status: number; readonly body: string }> {
  const sent = request(url, { method, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode ?? 0, body };
}

test('ui serves a page at an address with a token, on this host alone, until it is ended', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  for (const key of ['jobs/a', 'other']) await locks.acquire(key);
  const started = user.start(['ui', 'jobs/']);
  const url = await addressOf(started);
  expect((await ask(url)).body).toContain('<title>Locks</title>');
  const { keys, total, write } = JSON.parse((await ask(new URL('state', url))).body) as Readonly<
    Record<string, unknown>
  >;
  expect({ total, write }).toEqual({ total: 1, write: false });
  expect(keys).toEqual([expect.objectContaining({ key: 'jobs/a' })]);

  expect((await ask(new URL('/', url))).status).toBe(403);
  expect((await ask(new URL('/state', url))).status).toBe(403);
  expect((await ask(new URL(`${url.pathname.slice(0, -2)}/state`, url))).status).toBe(403);
  // A name of another site that points to this host.
  expect((await ask(url, 'GET', { host: `evil.example:${url.port}` })).status).toBe(403);
  expect((await ask(url, 'GET', { host: '127.0.0.1' })).status).toBe(403);
  expect((await ask(url, 'GET', { host: `localhost:${url.port}` })).status).toBe(200);

  started.process.kill('SIGTERM');
  expect(await started.ended).toMatchObject({ code: 143, errors: expect.stringContaining('read-only') });
});

test('ui --write ends a lease, and --json tells the address', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  const { key, owner, mode } = await locks.acquire('key');
  const started = user.start(['ui', '--write', '--json']);
  await expect.poll(started.written).toContain('\n');
  const { url } = JSON.parse(started.written()) as { readonly url: string };
  const query = new URLSearchParams({ key, owner, mode, confirm: key });
  const answer = await ask(new URL(`break?${query.toString()}`, url), 'POST', { 'x-locks-ui': '1' });
  expect(answer).toEqual({ status: 200, body: '{"freed":true}' });
  expect((await locks.inspect('key')).holders).toEqual([]);
});

test('ui tells that its port is taken', async () => {
  const user = createUser();
  const { port } = await addressOf(user.start(['ui']));
  const { code, errors } = await user.locks('ui', '--port', port);
  expect({ code, errors }).toEqual({
    code: 78,
    errors: expect.stringContaining(`Port ${port} of 127.0.0.1 cannot be`),
  });
  expect((await user.locks('ui', '--port', '70000')).code).toBe(64);
});
