/** Milliseconds of the monotonic clock, which all processes of a Linux host share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
