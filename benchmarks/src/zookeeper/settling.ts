/** Ms that `workers` get to take their places when they do not tell that they have. */
export function settling(workers: number): number {
  return 500 + 2 * workers;
}
