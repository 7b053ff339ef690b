import { defaultLabel } from '../options/owner.ts';
import type { CheckResult } from './diagnosis.ts';

const namePrefix = 'locks:';
/** The longest name of a connection, in Postgres. */
const longestName = 63;

/**
 * The name of this process' connections at a server, by which `connectedProcesses` finds them:
 * `locks:host:pid`, with the end of a long host name.
 */
export function connectionName(): string {
  return `${namePrefix}${defaultLabel().slice(namePrefix.length - longestName)}`;
}

/**
 * The result for a server whose connections have these `names`: which other processes use this
 * library there, including those without a lock.
 */
export function connectedProcesses(names: readonly string[]): CheckResult {
  const own = connectionName();
  const others = new Set(names.filter((name) => name.startsWith(namePrefix) && name !== own));
  if (others.size === 0) return { level: 'ok', what: 'No other process that uses this library is connected.' };
  const count = others.size === 1 ? '1 other process that uses' : `${others.size} other processes that use`;
  const list = [...others].toSorted().join(', ');
  return { level: 'ok', what: `${count} this library: ${list}.` };
}
