import { requirements, runConformance } from '@locks/conformance';
import type { ConformanceOptions, ConformanceReport } from '@locks/conformance';

/** These count what keeps the process alive, or block it. */
export const alone: readonly string[] = [
  'close-leaves-nothing',
  'locks-no-timers',
  'locks-blocked-loop',
  'validity-from-the-call',
];

/** It has leases of 50 ms, which are lost while others compute. */
export const hasty = 'locks-short-ttl';

/** More: requirements that measure time see what others compute. */
const runs = 4;

/**
 * Checks every requirement, as `runConformance` does, in several runs at once: they mostly wait.
 * Each has a store of its own, which `options` makes.
 */
export async function runSideBySide(
  options: () => ConformanceOptions | Promise<ConformanceOptions>,
): Promise<ConformanceReport> {
  const share = async (only: readonly string[]): Promise<ConformanceReport> =>
    await runConformance({ ...(await options()), only });
  const ids = requirements.map(({ id }) => id);
  const patient = ids.filter((id) => !alone.includes(id) && id !== hasty);
  const shares = Array.from({ length: runs }, (_, run) => patient.filter((_id, index) => index % runs === run));
  const reports = await Promise.all(shares.map(share));
  const last = await share([...alone, hasty]);
  const results = [...reports, last].flatMap((report) => report.results);
  results.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  return { ...last, results };
}
