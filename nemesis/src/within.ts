import { setTimeout as sleep } from 'node:timers/promises';

/** Whether `condition` becomes true within `patience` ms. */
export async function within(patience: number, condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = performance.now() + patience;
  while (!(await condition())) {
    if (performance.now() > end) return false;
    await sleep(20);
  }
  return true;
}
