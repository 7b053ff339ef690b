import type { Context } from '../context/context.ts';

/**
 * What may keep a process alive on account of a provider; the rest belongs to the runner of the
 * suite.
 */
const kinds = ['Timeout', 'TCPSocketWrap', 'TLSWrap', 'UDPWRAP', 'StatWatcher'] as const;

/** Counts of what keeps this process alive now. */
export function activeResources(): Readonly<Record<string, number>> {
  const active = process.getActiveResourcesInfo();
  return Object.fromEntries(kinds.map((kind) => [kind, active.filter((name) => name === kind).length]));
}

/** Fails unless the counts go back to `before`. */
export async function mustNotGrow(
  context: Context,
  before: Readonly<Record<string, number>>,
  when: string,
): Promise<void> {
  await context.eventually(
    `timers and connections as before (${JSON.stringify(before)}) ${when}`,
    activeResources,
    (after) => kinds.every((kind) => (after[kind] ?? 0) <= (before[kind] ?? 0)),
  );
}
