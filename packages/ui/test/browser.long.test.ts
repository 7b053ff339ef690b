import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createUi } from '../src/index.ts';
import { faintTexts, keysOn, openPage } from './support/browser.ts';
import { memoryLocks, servePage } from './support/serve.ts';

const focused = 'document.activeElement.id || document.activeElement.querySelector(".name")?.textContent';

test('all of the page can be reached with the keyboard', async () => {
  const locks = memoryLocks();
  const { port, state } = await servePage({ locks });
  await state();
  // The timeline is longer than the screen.
  for (let turn = 0; turn < 60; turn += 1) await (await locks.acquire('past')).release();
  for (const key of ['job/10', 'job/9']) await locks.acquire(key);
  const page = await openPage(port);
  await expect.poll(async () => await keysOn(page)).toEqual(['job/9', 'job/10']);
  const pressed = async (key: Parameters<typeof page.keyboard.press>[0]): Promise<unknown> => {
    await page.keyboard.press(key);
    return await page.evaluate(focused);
  };
  expect(await pressed('/')).toBe('filter');
  expect(await pressed('ArrowUp')).toBe('filter');
  expect(await pressed('ArrowDown')).toBe('job/9');
  expect(await pressed('ArrowDown')).toBe('job/10');
  expect(await pressed('ArrowDown')).toBe('job/10');
  expect(await pressed('ArrowUp')).toBe('job/9');
  expect(await pressed('ArrowUp')).toBe('filter');
  expect(await pressed('Tab')).toBe('by-name');
  expect(await pressed('Tab')).toBe('by-waiting');
  await pressed('Tab');
  await pressed('Tab');
  expect(await pressed('Tab')).toBe('events');
  const scrolled = async (): Promise<unknown> => await page.$eval('#events', ({ scrollTop }) => scrollTop);
  expect(await scrolled()).toBe(0);
  expect(await pressed('ArrowDown')).toBe('events');
  await expect.poll(scrolled).toBeGreaterThan(0);
});

test('keys are sorted as people count, or by how many wait, and the page says by which', async () => {
  const locks = memoryLocks();
  const { port } = await servePage({ locks });
  const leases = [];
  for (const key of ['job/10', 'job/9', 'job/1', 'other']) leases.push(await locks.acquire(key));
  const waiting = ['other', 'other', 'job/9'].map(async (key) => await (await locks.acquire(key)).release());
  const page = await openPage(port);
  await expect.poll(async () => await keysOn(page)).toEqual(['job/1', 'job/9', 'job/10', 'other']);
  await page.locator('#by-waiting').click();
  await expect.poll(async () => await keysOn(page)).toEqual(['other', 'job/9', 'job/1', 'job/10']);
  expect(await page.$eval('#by-waiting', ({ ariaPressed }) => ariaPressed)).toBe('true');
  await page.locator('#by-name').click();
  await expect.poll(async () => await keysOn(page)).toEqual(['job/1', 'job/9', 'job/10', 'other']);
  for (const lease of leases) await lease.release();
  await Promise.all(waiting);
});

test('a screen reader is told the columns of a key', async () => {
  const locks = memoryLocks();
  const { port } = await servePage({ locks });
  const lease = await locks.acquire('key');
  const waiting = locks.acquire('key');
  const page = await openPage(port);
  const names = async (): Promise<string> => JSON.stringify(await page.accessibility.snapshot());
  await expect.poll(names).toMatch(/"name":"key Holder: web-1 Expires in: [\d.]+ s In the queue: 1, next web-1"/);
  await page.locator('button.row').click();
  await expect.poll(names).toContain('Fencing token: ');
  await lease.release();
  await (await waiting).release();
});

test('a job is shown by its name, with its state and its slot', async () => {
  const locks = memoryLocks();
  const { port } = await servePage({ locks });
  await locks.once('report', new Date('2021-11-29T03:00Z'), async () => {
    const page = await openPage(port);
    expect(await keysOn(page)).toEqual(['job report']);
    expect(await page.$eval('.who .chip', ({ textContent }) => textContent)).toBe('running');
    await page.locator('button.row').click();
    await page.waitForSelector('.detail p');
    expect(await page.$eval('.detail p', ({ textContent }) => textContent)).toBe('Slot 2021-11-29T03:00Z');
  });
});

test.each(['light', 'dark'] as const)('while there is no answer, all texts can be read: %s', async (scheme) => {
  const locks = memoryLocks();
  const ui = createUi({ locks, write: true });
  onTestFinished(() => ui.end());
  const server = createServer(ui).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await locks.acquire('shared', { mode: 'shared' });
  const leases = [await locks.acquire('key')];
  const waiting = locks.acquire('key').catch(() => {});
  const page = await openPage((server.address() as AddressInfo).port, scheme);
  await page.locator('button.row').click();
  await page.waitForSelector('.waits.some');
  expect(await faintTexts(page)).toEqual([]);
  server.close();
  server.closeAllConnections();
  await page.waitForSelector('.stale');
  expect(await faintTexts(page)).toEqual([]);
  for (const lease of leases) await lease.release();
  await waiting;
});
