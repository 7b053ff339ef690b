import type { Finding } from '@locks/core/adapter';
import type { StoreReport } from './store-report.ts';

/** Those members of a composite that are the same server as one before them. */
export function compareMembers(members: readonly StoreReport[]): readonly Finding[] {
  return members.flatMap(({ title, server }, index): readonly Finding[] => {
    const other = members.slice(0, index).find((one) => one.server !== undefined && one.server === server);
    if (other === undefined) return [];
    const what = `${other.title} and ${title} are the same server: it counts twice.`;
    return [{ check: 'same-server', level: 'problem', what, advice: 'Name servers that fail apart.' }];
  });
}
