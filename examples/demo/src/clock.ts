/** Ms on a clock that all processes of this machine share and that never steps; `performance.now()` starts anew in each. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
