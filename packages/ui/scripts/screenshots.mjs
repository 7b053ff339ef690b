// Usage: npm run screenshots --workspace @locks/ui
//
// Takes the pictures of docs/ui.md in a headless chromium, of locks on a Redis that it starts. It
// needs `pngquant`, and Debian's `chromium`, or the path of one in CHROMIUM.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { openLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { createUi } from '@locks/ui';
import { launch } from 'puppeteer-core';

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
mkdirSync(folder, { recursive: true });
const { CHROMIUM: executablePath = '/usr/bin/chromium' } = process.env;

const redis = await startRedis();
const opened = [];
async function locksOf(label) {
  const locks = await openLocks(redis.url, { label, slowWait: '1s', drain: 0 });
  opened.push(locks);
  return locks;
}

const [operator, api1, api2, worker1, worker2, worker3, ci] = await Promise.all(
  ['operator', 'api-1', 'api-2', 'worker-1', 'worker-2', 'worker-3', 'ci'].map(locksOf),
);
const ui = createUi({ locks: operator, write: true });
const server = createServer(ui).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = `http://127.0.0.1:${server.address().port}/`;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const waiting = [];
const wait = (locks, key, options) => waiting.push(locks.acquire(key, options).catch(() => {}));

/** What happens before the pictures are taken, and what is held in them. */
async function happen() {
  await worker2.acquire('imports/customers', { ttl: 1_500, renew: false });
  await api1.acquire('leader/scheduler');
  await ci.acquire('deploy/production', { ttl: '10m' });
  const done = await worker1.acquire('invoices/2026-04');
  await worker1.acquire('invoices/2026-05');
  for (const locks of [worker2, worker3]) {
    wait(locks, 'invoices/2026-05');
    await pause(50);
  }
  for (const locks of [api1, api2, worker3]) await locks.acquire('prices', { mode: 'shared' });
  await pause(50);
  wait(worker1, 'prices');
  await worker2.acquire('payments/4711', { ttl: '20s' });
  wait(api2, 'deploy/production', { wait: 900 });
  await worker3.acquire('strange\u001B[31m\u202Ekey');
  await pause(1_300);
  await done.release();
  const hung = await api2.acquire('exports/2026-05');
  await operator.forceRelease(hung);
  await pause(1_200);
}

async function take(browser, name, { width, height, scheme }, prepare = async () => {}) {
  const page = await browser.newPage();
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  const problems = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('requestfailed', (request) => problems.push(`${request.url()} failed`));
  await page.goto(address);
  await page.waitForSelector('.status.live');
  await page.locator('button.row ::-p-text(invoices/2026-05)').click();
  await pause(2_500);
  await prepare(page);
  const path = `${folder}${name}.png`;
  await page.screenshot({ path });
  execFileSync('pngquant', ['--force', '--output', path, '--strip', '64', path]);
  const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  if (wide || problems.length > 0) throw new Error(`${name}: ${wide ? 'it is too wide. ' : ''}${problems.join('\n')}`);
  await page.close();
}

async function askToBreak(page) {
  await page.locator('.detail button.danger').click();
  await page.locator('#break-confirm').fill('invoices/2026-05');
}

const browser = await launch({ executablePath, args: ['--no-sandbox'] });
try {
  await happen();
  const small = { width: 390, height: 844 };
  const large = { width: 1280, height: 720 };
  await take(browser, 'ui-1280-light', { ...large, scheme: 'light' });
  await take(browser, 'ui-1280-dark', { ...large, scheme: 'dark' });
  await take(browser, 'ui-390-light', { ...small, scheme: 'light' });
  await take(browser, 'ui-390-dark', { ...small, scheme: 'dark' }, askToBreak);
} finally {
  await browser.close();
  ui.end();
  server.close();
  server.closeAllConnections();
  await Promise.all(opened.map(async (locks) => await locks.close()));
  await Promise.all(waiting);
  await redis.stop();
}
