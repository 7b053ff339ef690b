import { setTimeout as delay } from 'node:timers/promises';

/** Waits until `condition` holds; throws after `within` ms. */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  within: number = 15_000,
): Promise<void> {
  const end = performance.now() + within;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`in ${within} ms it did not happen that ${what}`);
    await delay(5);
  }
}
