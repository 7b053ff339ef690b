import { expect, test } from 'vitest';
import { faintTexts, openBrowser } from '../../../ui/test/support/browser.ts';
import { checkHistory, timelineOf } from '../../src/history/index.ts';
import { historyOf, lease } from '../../../core/test/testing/history/histories.ts';

const events = [
  ...lease('a/1', 1, { from: 100, to: 600, call: { key: '<b>&"' } }),
  ...lease('b/1', 2, { from: 550, to: 900, call: { key: '<b>&"' } }),
  ...lease('c/1', 3, { from: 9_000, to: 9_900 }),
  ...lease('b/2', 2, { from: 9_950, to: 10_000 }),
  ...historyOf(
    { type: 'fault', at: 800, from: 300, kind: 'silence' },
    { type: 'fault', at: 700, from: 650, kind: 'pause', hit: 'a' },
  ),
];
const violations = checkHistory(events);

test.each(['light', 'dark'] as const)(
  'a %s page shows each process, its holds, the faults and the violations',
  async (scheme) => {
    const page = await openBrowser(scheme);
    const errors: unknown[] = [];
    page.on('pageerror', (error) => errors.push(error));
    page.on('request', (request) => errors.push(request.url()));
    await page.setContent(timelineOf(events, violations));
    const lanes = await page.$$eval('.lane span', (names) => names.map((name) => name.textContent));
    expect(lanes).toEqual(['a', 'b', 'c', 'store']);
    expect(await page.$$eval('.lane b', (bars) => bars.map(({ className }) => className))).toEqual([
      'wait wrong',
      'hold wrong',
      'fault',
      'wait wrong',
      'hold wrong',
      'wait wrong',
      'hold wrong',
      'wait wrong',
      'hold wrong',
      'fault',
    ]);
    const [first] = await page.$$eval('.lane .hold', (bars) =>
      bars.map((bar) => [bar.getAttribute('style'), bar.getAttribute('title')]),
    );
    expect(first?.[0]).toMatch(/^left:0\.0000%;width:5\.05/);
    expect(first?.[1]).toBe('a/1: acquire("<b>&""), exclusive: token 1, held for 500.0 ms');
    const listed = await page.$$eval('ol li a', (links) => links.map((link) => link.textContent));
    expect(listed).toEqual(violations.map(({ message }) => message));
    expect(await page.$$eval('ol li pre', ([pre]) => pre?.textContent)).toContain('a/1 is granted with token 1');
    expect(await faintTexts(page)).toEqual([]);
    expect(errors).toEqual([]);
  },
);

test('the keyboard zooms, scrolls, and goes from violation to violation', async () => {
  expect(violations.length).toBe(2);
  const page = await openBrowser();
  await page.setContent(timelineOf(events, violations));
  const width = async (): Promise<number> => await page.$eval('#time', (time) => (time as HTMLElement).offsetWidth);
  const middle = async (): Promise<number> =>
    await page.$eval('#view', (view) => (view.scrollLeft + view.clientWidth / 2) / view.scrollWidth);
  const whole = await width();
  for (let turn = 0; turn < 4; turn += 1) await page.keyboard.press('+');
  expect(await width()).toBe(16 * whole);
  await page.keyboard.press('n');
  expect(await middle()).toBeCloseTo((violations[0]!.at - 100) / 9_901, 1);
  await page.keyboard.press('n');
  expect(await middle()).toBeGreaterThan(0.9);
  await page.keyboard.press('p');
  expect(await middle()).toBeCloseTo((violations[0]!.at - 100) / 9_901, 1);
  await page.keyboard.press('-');
  expect(await middle()).toBeCloseTo((violations[0]!.at - 100) / 9_901, 1);
  expect(await width()).toBe(8 * whole);
  await page.keyboard.press('0');
  expect(await width()).toBe(whole);
  await page.focus('#view');
  for (let turn = 0; turn < 3; turn += 1) await page.keyboard.press('+');
  const before = await middle();
  await page.keyboard.press('ArrowRight');
  await expect.poll(middle).toBeGreaterThan(before);
});
