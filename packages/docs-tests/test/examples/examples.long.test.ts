import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, startRedis } from '@locks/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExampleCopies } from '../support/example-copies.ts';
import type { ExampleCopies, ExampleCopy } from '../support/example-copies.ts';
import type { Running } from '../support/running.ts';

const names = [
  ...['fastify-idempotency', 'express', 'bullmq', 'cache-stampede'],
  ...['semaphore', 'leader-election', 'graceful-shutdown', 'stores-by-configuration', 'fenced-sql-update'],
  'live-migration',
];

let examples: ExampleCopies;
const copies = new Map<string, ExampleCopy>();

// Before the tests: to copy blocks this process, and those that run side by side need it.
beforeAll(() => {
  examples = createExampleCopies();
  for (const name of names) copies.set(name, examples.copy(name));
});

afterAll(() => examples.remove());

function copyOf(name: string): ExampleCopy {
  const copy = copies.get(name);
  if (copy === undefined) throw new Error(`The example ${name} was not copied.`);
  return copy;
}

const anyPort = { PORT: '0' };

/** Starts a service, and gives its address. */
async function serve(example: ExampleCopy): Promise<Running & { readonly url: string }> {
  const running = example.start(['server.js'], anyPort);
  const [, url = ''] = await running.said(/^listens on (\S+)$/);
  return { ...running, url };
}

async function post(url: string, init: RequestInit = {}): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(40_000), ...init });
  return { status: response.status, body: await response.text() };
}

/** Work that began and ended, in ms of the clock of the host. */
interface Span {
  readonly begin: number;
  readonly end: number;
}

/**
 * The spans that processes told, each in two lines: a time in ISO 8601, and a text that `pattern`
 * matches. Its groups are `begins` or `ends`, and a name.
 */
function spansOf(processes: readonly { readonly lines: readonly string[] }[], pattern: RegExp): Span[] {
  return processes.flatMap(({ lines }) => {
    const begins = new Map<string, number>();
    return lines.flatMap((line) => {
      const [, time = '', text = ''] = /^(\S+Z) (.*)$/.exec(line) ?? [];
      const [, event, name = ''] = pattern.exec(text) ?? [];
      const begin = begins.get(name);
      if (event === 'begins') begins.set(name, Date.parse(time));
      return event === 'ends' && begin !== undefined ? [{ begin, end: Date.parse(time) }] : [];
    });
  });
}

/** How many of them there were at once at most. One that ends when another begins is over. */
function mostAtOnce(spans: readonly Span[]): number {
  const at = (time: number): number => spans.filter(({ begin, end }) => begin <= time && time < end).length;
  return Math.max(0, ...spans.map(({ begin }) => at(begin)));
}

// They mostly wait.
describe.concurrent('each example does what its README promises', { timeout: 120_000 }, () => {
  test('fastify-idempotency: a key is paid once, by either of two replicas', async () => {
    const example = copyOf('fastify-idempotency');
    const replicas = [await serve(example), await serve(example)];
    const pay = async (key: string, replica: number) =>
      await post(`${replicas[replica]?.url}/payments`, {
        headers: { 'idempotency-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: 25 }),
      });
    const answers = await Promise.all([pay('one', 0), pay('one', 1), pay('one', 0), pay('two', 1)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.slice(0, 3).map(({ body }) => body)).size).toBe(1);
    expect(await pay('one', 1)).toEqual(answers[0]);
    expect(answers[3]?.body).not.toBe(answers[0]?.body);
    const said = replicas.flatMap(({ lines }) => lines);
    expect(said.filter((line) => line === 'pays 25 for one')).toHaveLength(1);
    for (const replica of replicas) expect(await replica.end('SIGTERM')).toBe(0);
  });

  test('express: a cart is checked out once at a time, and others are told to come again', async () => {
    const example = copyOf('express');
    const replicas = [await serve(example), await serve(example)] as const;
    const checkOut = async (cart: string, replica: 0 | 1) =>
      await post(`${replicas[replica].url}/carts/${cart}/checkout`);
    const answers = await Promise.all([
      checkOut('7', 0),
      checkOut('7', 1),
      checkOut('7', 0),
      checkOut('7', 1),
      checkOut('8', 1),
    ]);
    const [other, ...same] = [answers[4], ...answers.slice(0, 4)];
    expect(other?.status).toBe(200);
    expect(mostAtOnce(spansOf(replicas, /^(begins|ends) (cart 7)$/))).toBe(1);
    expect(new Set(same.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(same.find(({ status }) => status === 409)?.body).toBe('{"error":"LOCK_TIMEOUT"}');
    for (const replica of replicas) expect(await replica.end('SIGTERM')).toBe(0);
  });

  test('bullmq: jobs of one customer run one at a time, in both workers together', async () => {
    const redis = await startRedis();
    const env = { REDIS_URL: redis.url };
    const example = copyOf('bullmq');
    const workers = [example.start(['worker.js'], env), example.start(['worker.js'], env)];
    await Promise.all(workers.map((worker) => worker.said(/^waits for jobs$/)));
    expect(await example.start(['produce.js'], env).end()).toBe(0);
    const any = /^(begins|ends) (\w+ \d+)$/;
    await eventually('six jobs', () => spansOf(workers, any).length === 6, 40_000);
    for (const worker of workers) expect(await worker.end('SIGTERM')).toBe(0);
    for (const customer of ['ada', 'ben']) {
      const spans = spansOf(workers, new RegExp(`^(begins|ends) (${customer} \\d+)$`));
      expect(spans).toHaveLength(3);
      expect(mostAtOnce(spans)).toBe(1);
    }
    await redis.stop();
  });

  test('cache-stampede: of 40 requests in two processes one computes', async () => {
    const example = copyOf('cache-stampede');
    const processes = [example.start(['main.js']), example.start(['main.js'])];
    for (const each of processes) expect(await each.end(), each.lines.join('\n')).toBe(0);
    const found = await Promise.all(
      processes.map((each) => each.said(/^20 requests, computed here (\d) times: (.+)$/)),
    );
    expect(new Set(found.map(([, times]) => times))).toEqual(new Set(['0', '1']));
    expect(new Set(found.map(([, , answers]) => answers)).size).toBe(1);
  });

  test('semaphore: three at once, in both processes together', async () => {
    const example = copyOf('semaphore');
    const processes = [example.start(['main.js']), example.start(['main.js'])];
    for (const each of processes) expect(await each.end(), each.lines.join('\n')).toBe(0);
    const spans = spansOf(processes, /^(begins|ends) (\d)\b/);
    expect(spans).toHaveLength(16);
    expect(mostAtOnce(spans)).toBe(3);
  });

  test('leader-election: the other one leads after a kill, and at once after SIGTERM', async () => {
    const example = copyOf('leader-election');
    const leader = example.start(['main.js']);
    const [, first = ''] = await leader.said(/^leads, with token (\d+)$/);
    const next = example.start(['main.js']);
    await next.said(/^stands for election$/);
    expect(next.lines.some((line) => line.startsWith('leads'))).toBe(false);
    await leader.end('SIGKILL');
    const [, second = ''] = await next.said(/^leads, with token (\d+)$/);
    expect(BigInt(second)).toBeGreaterThan(BigInt(first));

    const last = example.start(['main.js']);
    await last.said(/^stands for election$/);
    const ended = next.end('SIGTERM');
    await last.said(/^leads, with token/);
    expect(await ended).toBe(0);
    expect(next.lines.at(-1)).toBe('leads no more');
    expect(await last.end('SIGINT')).toBe(0);
  });

  test('graceful-shutdown: SIGTERM lets work end, turns waiters away, and frees the lock', async () => {
    const example = copyOf('graceful-shutdown');
    const server = await serve(example);
    const working = post(server.url);
    await server.said(/^begins$/);
    const waiting = post(server.url);
    await eventually('two requests', () => server.lines.filter((line) => line === 'a request').length === 2);
    const ended = server.end('SIGTERM');
    expect(await waiting).toEqual({ status: 503, body: 'LOCK_CLOSED\n' });
    expect(server.lines).not.toContain('ends');
    expect(await working).toEqual({ status: 200, body: 'written\n' });
    expect(await ended).toBe(0);
    expect(server.lines).toEqual([
      expect.stringMatching(/^listens/),
      ...['a request', 'begins', 'a request', 'SIGTERM', 'ends', 'closed'],
    ]);
    const after = await serve(example);
    expect((await post(after.url)).status).toBe(200);
    expect(await after.end('SIGTERM')).toBe(0);
  });

  test('stores-by-configuration: SQLite, Redis, and a store that is refused', async () => {
    const redis = await startRedis();
    const example = copyOf('stores-by-configuration');
    const run = async (env: Readonly<Record<string, string>>) => {
      const running = example.start(['main.js'], env);
      return { exitCode: await running.end(), lines: running.lines };
    };
    const token = expect.stringMatching(/^sends the invoice with fencing token \d+$/);
    const production = { LOCKS_CONFIG: 'production.json', REDIS_URL: redis.url };
    expect(await run({ LOCKS_CONFIG: 'development.json' })).toEqual({
      exitCode: 0,
      lines: ['sqlite: scope host, fencing clock-bounded, fair', token],
    });
    expect(await run(production)).toEqual({
      exitCode: 0,
      lines: ['redis: scope network, fencing clock-bounded, fair', token],
    });
    const refused = await run({ ...production, LOCKS_URL: 'sqlite:./locks.db' });
    expect(refused.exitCode).toBe(78);
    expect(refused.lines.join('\n')).toMatch(/scope.*network/);
    await redis.stop();
  });

  test('fenced-sql-update: the write of a holder that was paused is refused', async () => {
    const example = copyOf('fenced-sql-update');
    const paused = example.start(['worker.js', 'south', 'pause']);
    await paused.said(/^south: stands still/);
    const next = example.start(['worker.js', 'north']);
    expect(await next.end(), next.lines.join('\n')).toBe(0);
    expect(next.lines.slice(1)).toEqual(['north: has written', 'the carrier of the order is north']);
    paused.type('\n');
    expect(await paused.end(), paused.lines.join('\n')).toBe(0);
    expect(paused.lines.slice(2)).toEqual([
      'south: LOCK_LOST, and its write was refused',
      'the carrier of the order is north',
    ]);
  });

  test('live-migration: two processes move to the other store, and no update is lost', async () => {
    const example = copyOf('live-migration');
    writeFileSync(join(example.folder, 'phase'), 'from\n');
    const services = [example.start(['service.js']), example.start(['service.js'])];
    const counter = (): number => Number(readFileSync(join(example.folder, 'counter'), 'utf8'));
    for (const phase of ['from', 'both', 'to'] as const) {
      const move = example.start(['move.js', phase]);
      expect(await move.end(), move.lines.join('\n')).toBe(0);
      expect(move.lines).toEqual([`all 2 processes are in phase "${phase}"`]);
      await Promise.all(services.map((service) => service.said(new RegExp(`^locks in phase "${phase}"$`))));
      // Both work under it.
      const before = counter();
      await eventually('more updates', () => counter() > before + 5, 20_000);
    }
    for (const service of services) expect(await service.end('SIGTERM'), service.lines.join('\n')).toBe(0);
    const made = await Promise.all(services.map((service) => service.said(/^made (\d+) updates$/)));
    expect(counter()).toBe(made.reduce((sum, [, updates]) => sum + Number(updates), 0));
  });
});
