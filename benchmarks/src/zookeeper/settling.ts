/** Ms for `workers` to take their positions if they do not report that. */
export function settling(workers: number): number {
  return 500 + 2 * workers;
}
