import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startRedis, startZookeeper } from '@locks/test-servers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createModuleApp } from '../module-app.ts';
import type { ModuleApp } from '../module-app.ts';

const redis = await startRedis();
afterAll(() => redis.stop());

/** The libraries that open URLs, in an early and a late version of those that are taken. */
const clients = [
  ['ioredis', 'ioredis@5.4.2'],
  ['ioredis', 'ioredis@6.0.0'],
  ['iovalkey', 'iovalkey@0.3.1'],
  ['iovalkey', 'iovalkey@0.4.0'],
  ['redis', 'redis@6.1.0'],
  ['redis', 'redis@6.3.1'],
] as const;

function appWith(...packages: readonly string[]): ModuleApp {
  const app = createModuleApp(redis.url, packages);
  onTestFinished(() => app.remove());
  return app;
}

test.each(clients)(
  'an application with %s alone (%s) opens redis: and valkey: URLs, and asks for a password that changes',
  (name, installed) => {
    const app = appWith(installed);
    for (const [other] of clients) expect(existsSync(join(app.folder, 'node_modules', other))).toBe(other === name);
    expect(app.node(['opened.mjs'])).toBe('true\ntrue\n');
    expect(app.node(['opened.cjs'])).toBe('true\n');
    expect(app.node(['asked.mjs'])).toBe('true true\n');
  },
  120_000,
);

test.each([
  ['redis@4.7.1', /^LOCK_MISCONFIGURED .*node-redis 6\.1 or newer/],
  ['redis@5.12.1', /^LOCK_MISCONFIGURED .*node-redis 6\.1 or newer/],
  ['ioredis@4.31.0', /^LOCK_MISCONFIGURED .*ioredis that is installed is too old/],
])(
  'npm installs @locks/redis beside %s, which is refused by name when it would open a URL',
  (installed, refusal) => {
    const app = createModuleApp(redis.url, [installed], ['@locks/core', '@locks/redis']);
    onTestFinished(() => app.remove());
    expect(app.node(['opened.mjs'])).toMatch(refusal);
  },
  120_000,
);

test('an application with node-zookeeper-client alone takes locks over it, and over sockets', async () => {
  const server = await startZookeeper();
  onTestFinished(() => server.stop());
  const address = `${server.host}:${server.port}`;
  expect(appWith('node-zookeeper-client@1.1.3').node(['zookeeper.mjs', address])).toBe('true true\ntrue true\n');
}, 120_000);

test('an application with none of them is told all', () => {
  const message =
    'LOCK_MISCONFIGURED @locks/redis: it needs ioredis (5 or 6), iovalkey (0.3 or 0.4) or redis (6.1), and none is installed. Run: npm install ioredis.';
  expect(appWith().node(['opened.mjs'])).toBe(`${message}\n${message}\n`);
}, 120_000);
