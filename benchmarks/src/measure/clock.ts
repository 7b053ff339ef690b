/** Ms on the clock that all processes of this machine share and that never steps. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export { setTimeout as sleep } from 'node:timers/promises';
