/** Separates the name of a process from that of its session. */
export const sessionMark = '+';

/** The process of a name in the tables. */
export function processOf(name: string): string {
  return name.split(sessionMark, 1)[0] ?? name;
}
