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

const tooOldSql = /^LOCK_MISCONFIGURED .*version of (?:pg|libsql) that is installed is too old/;

/** Versions that cannot serve, beside each package, and what a program then says. */
const tooOld = [
  ['redis', 'redis@4.7.1', 'opened.mjs', redis.url, /^LOCK_MISCONFIGURED .*node-redis 6\.1 or newer/],
  ['redis', 'redis@5.12.1', 'opened.mjs', redis.url, /^LOCK_MISCONFIGURED .*node-redis 6\.1 or newer/],
  ['redis', 'ioredis@4.31.0', 'opened.mjs', redis.url, /^LOCK_MISCONFIGURED .*ioredis that is installed is too old/],
  ['sql', 'pg@8.8.0', 'opened.mjs', 'postgres://127.0.0.1/app', tooOldSql],
  ['sql', 'libsql@0.3.19', 'opened.mjs', 'sqlite:./locks.db?migrate=true', tooOldSql],
  ['sql', 'postgres@1.0.2', 'given.mjs', 'postgres://127.0.0.1/app', /version of postgres that is too old/],
  [
    'opentelemetry',
    '@opentelemetry/api@1.2.0',
    'telemetry.mjs',
    '',
    /^LOCK_MISCONFIGURED .*api that is installed is too/,
  ],
] as const;

test.each(tooOld)(
  'npm installs @locks/%s beside %s, which is refused by name when it would be used',
  (ours, installed, program, url, refusal) => {
    const app = createModuleApp(url, [installed], ['@locks/core', `@locks/${ours}`]);
    onTestFinished(() => app.remove());
    expect(app.node([program])).toMatch(refusal);
  },
  120_000,
);

test.each(['0.2.3', '1.1.3'])(
  'an application with node-zookeeper-client %s alone takes locks over it, and over sockets',
  async (version) => {
    const server = await startZookeeper();
    onTestFinished(() => server.stop());
    const app = createModuleApp('', [`node-zookeeper-client@${version}`], ['@locks/core', '@locks/zookeeper']);
    onTestFinished(() => app.remove());
    expect(app.node(['zookeeper.mjs', `${server.host}:${server.port}`])).toBe('true true\ntrue true\n');
  },
  120_000,
);

test('an application with none of them is told all', () => {
  const message =
    'LOCK_MISCONFIGURED @locks/redis: it needs ioredis (5 or 6), iovalkey (0.3 or 0.4) or redis (6.1), and none is installed. Run: npm install ioredis.';
  expect(appWith().node(['opened.mjs'])).toBe(`${message}\n${message}\n`);
}, 120_000);
