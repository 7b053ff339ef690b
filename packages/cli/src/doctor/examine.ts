import { isLockError, systemRuntime } from '@locks/core/adapter';
import type { Diagnosis, DiagnosisMember, Finding } from '@locks/core/adapter';
import { loadAdapter, migration, openProvider } from '@locks/core/composite';
import type { Backend } from '@locks/core/composite';
import { messageOf } from '../failure.ts';
import { compareMembers } from './compare-members.ts';
import { probeStore } from './probe-store.ts';
import type { StoreReport } from './store-report.ts';
import { tryLocks } from './try-locks.ts';

/**
 * Looks at a store and, if it is a composite, at its members: the store first.
 * @throws what its adapter throws, where there is nothing to look at.
 */
export async function examine(backend: Backend): Promise<readonly StoreReport[]> {
  const diagnosis = await diagnose(backend);
  if (diagnosis.members === undefined) return [await examineAlone(undefined, backend, diagnosis, true)];
  const members = await Promise.all(diagnosis.members.map(examineMember));
  const compared = [...diagnosis.findings, ...compareMembers(members)];
  // To open a migration is to take part in it.
  const used = backend.provider === migration ? [] : (await useOf(backend, compared, true)).findings;
  return [{ title: undefined, findings: [...compared, ...used] }, ...members];
}

async function diagnose({ provider, url, options }: Backend): Promise<Diagnosis> {
  const adapter = await loadAdapter(provider);
  const asked = await adapter.diagnose?.({ url, options, runtime: systemRuntime });
  const what = 'This adapter does not look at its servers.';
  return asked ?? { findings: [{ check: 'settings', level: 'unknown', what }] };
}

async function examineMember({ title, ...store }: DiagnosisMember): Promise<StoreReport> {
  const backend = store as Backend;
  try {
    const diagnosis = await diagnose(backend);
    if (diagnosis.members === undefined) return await examineAlone(title, backend, diagnosis, false);
    return { title, findings: diagnosis.findings };
  } catch (error) {
    const level = isLockError(error, 'LOCK_UNAVAILABLE') ? 'warning' : 'problem';
    const advice = 'Start it, or correct the configuration.';
    return { title, findings: [{ check: 'reach', level, what: messageOf(error), advice }] };
  }
}

async function examineAlone(
  title: string | undefined,
  backend: Backend,
  { findings, server }: Diagnosis,
  whole: boolean,
): Promise<StoreReport> {
  const used = await useOf(backend, findings, whole);
  return { title, findings: [...findings, ...used.findings], server, latency: used.latency };
}

/** The findings of using a store. `whole`: locks are taken, and not from a member alone. */
async function useOf(
  backend: Backend,
  known: readonly Finding[],
  whole: boolean,
): Promise<Pick<StoreReport, 'findings' | 'latency'>> {
  let provider;
  try {
    provider = await openProvider(backend, systemRuntime);
  } catch (error) {
    // A problem that was found before says why.
    if (known.some(({ level }) => level === 'problem')) return { findings: [] };
    const advice = 'Correct what the message names.';
    return { findings: [{ check: 'open', level: 'problem', what: messageOf(error), advice }] };
  }
  try {
    const used = whole ? await tryLocks(provider) : [];
    const { findings, latency } = await probeStore(provider);
    return { findings: [...used, ...findings], latency };
  } finally {
    await provider.close();
  }
}
