import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createUi } from '../src/index.ts';
import { memoryLocks, serve, servePage } from './support/serve.ts';

test('the page is one document, which may run its own script and ask its own server alone', async () => {
  const { request } = await servePage({ locks: memoryLocks() });
  const { status, headers, body } = await request('GET', '/');
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  const policy = String(headers['content-security-policy']);
  for (const name of ['script', 'style']) {
    const [, text = ''] = new RegExp(`<${name}>([^]*)</${name}>`).exec(body) ?? [];
    expect(text.length).toBeGreaterThan(1_000);
    const digest = createHash('sha256').update(text).digest('base64');
    expect(policy).toContain(`${name}-src 'sha256-${digest}'`);
  }
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(body).not.toMatch(/\son\w+=|\sstyle=|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
});

test.each([
  ['HEAD', '/', 200],
  ['POST', '/', 405],
  ['PUT', '/state', 405],
  ['HEAD', '/state', 405],
  ['GET', '/break?key=a', 405],
  ['OPTIONS', '/break', 405],
  ['GET', '/other', 404],
  ['GET', '/state/more', 404],
  ['GET', '/../state', 404],
])('%s %s is %i', async (method, path, status) => {
  const { request } = await servePage({ locks: memoryLocks(), write: true });
  const answer = await request(method, path);
  expect(answer.status).toBe(status);
  if (status === 405) expect(answer.headers.allow).toMatch(/GET|POST/);
});

test('with a base path it answers below that alone, and sends a browser to the slash at its end', async () => {
  const { request } = await servePage({ locks: memoryLocks(), basePath: '/admin/locks' });
  expect(await request('GET', '/admin/locks?a=b')).toMatchObject({ status: 302, headers: { location: './locks/' } });
  for (const [path, status] of [
    ['/admin/locks/', 200],
    ['/admin/locks/state', 200],
    ['/', 404],
    ['/state', 404],
    ['/admin/lockstate', 404],
  ] as const) {
    expect({ path, status: (await request('GET', path)).status }).toEqual({ path, status });
  }
});

test('data is refused to pages of other origins', async () => {
  const { request, port } = await servePage({ locks: memoryLocks() });
  const statusOf = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await request('GET', '/state', headers)).status;
  expect(await statusOf({})).toBe(200);
  expect(await statusOf({ 'sec-fetch-site': 'same-origin', origin: 'https://behind-a-proxy.example' })).toBe(200);
  expect(await statusOf({ origin: `http://127.0.0.1:${port}` })).toBe(200);
  expect(await statusOf({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await statusOf({ 'sec-fetch-site': 'same-site' })).toBe(403);
  expect(await statusOf({ origin: 'http://evil.example' })).toBe(403);
  expect(await statusOf({ origin: 'null' })).toBe(403);
});

test('a wrong option is refused by name', () => {
  const locks = memoryLocks();
  expect(() => createUi({} as never)).toThrow('createUi: it needs "locks": createUi({ locks }).');
  expect(() => createUi({ locks: {} as never })).toThrow('option "locks" must be a client of createLocks or openLocks');
  expect(() => createUi({ locks, basePath: '/locks/' })).toThrow(
    'option "basePath" must be a path such as "/admin/locks"',
  );
  expect(() => createUi({ locks, readonly: true } as never)).toThrow('"readonly"');
});

test('after its end it tells nothing of the process, and still shows keys', async () => {
  const locks = memoryLocks();
  const ui = createUi({ locks });
  const { state } = await serve(ui);
  await state();
  ui.end();
  await (await locks.acquire('short')).release();
  await locks.acquire('long');
  const { keys, events } = await state();
  expect(keys.map(({ key }) => key)).toEqual([]);
  expect(events).toEqual([]);
});
