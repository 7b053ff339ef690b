/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { ensureProgram } from '@locks/test-servers';
import { launch } from 'puppeteer-core';
import type { Page } from 'puppeteer-core';
import { onTestFinished } from 'vitest';

/** An empty page of a real browser, which ends with the test. */
export async function openBrowser(scheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const chromium = { binary: 'chromium', debianPackage: 'chromium', macos: 'brew install chromium' };
  const browser = await launch({ executablePath: await ensureProgram(chromium, 'chromium'), args: ['--no-sandbox'] });
  onTestFinished(async () => await browser.close());
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 720 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  return page;
}

/** The page that is served at `port` of this host, once it has looked. */
export async function openPage(port: number, scheme?: 'light' | 'dark'): Promise<Page> {
  const page = await openBrowser(scheme);
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForSelector('.status.live');
  return page;
}

/** The names of the keys, as they stand on the page. */
export async function keysOn(page: Page): Promise<readonly string[]> {
  return await page.$$eval('button.row .name', (names) => names.map((name) => name.textContent));
}

/** A text of the page that is hard to read, and its contrast. */
export interface Faint {
  readonly text: string;
  readonly contrast: number;
}

/**
 * The texts of the page with less contrast than WCAG's AA asks for (4.5), but for those of disabled
 * buttons.
 */
export async function faintTexts(page: Page): Promise<readonly Faint[]> {
  return await page.evaluate(() => {
    type Colour = readonly [red: number, green: number, blue: number, alpha: number];
    const colourOf = (text: string): Colour => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
      return [red, green, blue, alpha];
    };
    const over = (top: Colour, below: Colour): Colour => {
      const mixed = [0, 1, 2].map((index) => (top[index] ?? 0) * top[3] + (below[index] ?? 0) * (1 - top[3]));
      return [mixed[0] ?? 0, mixed[1] ?? 0, mixed[2] ?? 0, 1];
    };
    const luminance = ([red, green, blue]: Colour): number => {
      const [r = 0, g = 0, b = 0] = [red, green, blue].map((each) => {
        const part = each / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const parentsOf = (element: Element): readonly Element[] => {
      const parents = [element];
      for (let next = element.parentElement; next !== null; next = next.parentElement) parents.unshift(next);
      return parents;
    };
    const contrastOf = (element: Element): number => {
      let ground: Colour = [255, 255, 255, 1];
      let opacity = 1;
      for (const each of parentsOf(element)) {
        const style = getComputedStyle(each);
        ground = over(colourOf(style.backgroundColor), ground);
        opacity *= Number(style.opacity);
      }
      const [red, green, blue, alpha] = colourOf(getComputedStyle(element).color);
      const [one, other] = [luminance(over([red, green, blue, alpha * opacity], ground)), luminance(ground)];
      return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    };
    return [...document.querySelectorAll('body *')]
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()))
      .filter((element) => element.checkVisibility() && element.closest('.unseen, :disabled') === null)
      .map((element) => ({ text: element.textContent ?? '', contrast: contrastOf(element) }))
      .filter(({ contrast }) => contrast < 4.5);
  });
}
