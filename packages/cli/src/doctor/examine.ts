import { isLockError, systemRuntime } from '@locks/core/adapter';
import type { Diagnosis, DiagnosisMember, Finding } from '@locks/core/adapter';
import { loadAdapter, migration, openProvider } from '@locks/core/open';
import type { Backend } from '@locks/core/open';
import { messageOf } from '@locks/core/text';
import { checkInUse } from './checks-in-use.ts';

/** What was found at one store. */
export interface StoreReport {
  /** Its role in a composite. `undefined`: it is the whole store. */
  readonly title: string | undefined;
  readonly findings: readonly Finding[];
  /** See `Diagnosis`. */
  readonly server?: string | undefined;
}

/**
 * Examines a store and, for a composite, its members: the store first.
 * @throws what its adapter throws if it cannot be examined.
 */
export async function examine(backend: Backend): Promise<readonly StoreReport[]> {
  return await examineStore(undefined, backend);
}

/** `title`: the role of the store in a composite. */
async function examineStore(title: string | undefined, backend: Backend): Promise<readonly StoreReport[]> {
  const { findings, server, members } = await diagnose(backend);
  const below = await Promise.all((members ?? []).map(async (member) => await examineMember(title, member)));
  // The stores of a migration may be two tables of one server. Opening a migration would join it.
  const migrates = backend.provider === migration;
  const compared = migrates ? [] : sameServers(below.flatMap(([member]) => member ?? []));
  const known = [...findings, ...compared];
  const used = migrates
    ? []
    : await useOf(backend, known, { whole: title === undefined, composite: members !== undefined });
  const report = { title, findings: [...known, ...used], server };
  return [report, ...below.flat()];
}

async function examineMember(
  above: string | undefined,
  { title: own, ...store }: DiagnosisMember,
): Promise<readonly StoreReport[]> {
  const title = above === undefined ? own : `${above}, ${own}`;
  try {
    return await examineStore(title, store as Backend);
  } catch (error) {
    const level = isLockError(error, 'LOCK_UNAVAILABLE') ? 'warning' : 'problem';
    const advice = 'Start it, or correct the configuration.';
    return [{ title, findings: [{ check: 'reach', level, what: messageOf(error), advice }] }];
  }
}

/** The members of a composite that are the same server as an earlier one. */
function sameServers(members: readonly StoreReport[]): readonly Finding[] {
  return members.flatMap(({ title, server }, index): readonly Finding[] => {
    const other = members.slice(0, index).find((one) => one.server !== undefined && one.server === server);
    if (other === undefined) return [];
    const what = `${other.title} and ${title} are the same server: it counts twice.`;
    return [{ check: 'same-server', level: 'problem', what, advice: 'Name servers that fail independently.' }];
  });
}

async function diagnose({ provider, url, options }: Backend): Promise<Diagnosis> {
  const adapter = await loadAdapter(provider);
  const asked = await adapter.diagnose?.({ url, options, runtime: systemRuntime });
  const what = 'This adapter does not examine its servers.';
  return asked ?? { findings: [{ check: 'settings', level: 'unknown', what }] };
}

/** The findings from using a store. */
async function useOf(
  backend: Backend,
  known: readonly Finding[],
  of: Parameters<typeof checkInUse>[1],
): Promise<readonly Finding[]> {
  let provider;
  try {
    provider = await openProvider(backend, systemRuntime);
  } catch (error) {
    // An earlier problem already says why.
    if (known.some(({ level }) => level === 'problem')) return [];
    const advice = 'Correct what the message names.';
    return [{ check: 'open', level: 'problem', what: messageOf(error), advice }];
  }
  try {
    return await checkInUse(provider, of);
  } finally {
    await provider.close();
  }
}
