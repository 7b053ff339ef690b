/** What stands between the name of a process and that of its session. */
export const sessionMark = '+';

/** The process to which a name in the tables belongs. */
export function processOf(name: string): string {
  return name.split(sessionMark, 1)[0] ?? name;
}
