/** How the levels are written that say that something went wrong for a client, or for all. */
const severe: Readonly<Record<'postgres' | 'mariadb', RegExp>> = {
  postgres: /^.*\b(?:ERROR|FATAL|PANIC): {2}.*$/gm,
  mariadb: /^.*\[ERROR\].*$/gm,
};

/** The lines of level ERROR or worse in the log of a server. */
export function severeLines(server: 'postgres' | 'mariadb', log: string): string[] {
  return log.match(severe[server]) ?? [];
}
