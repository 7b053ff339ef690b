import type { AdapterModule } from '@locks/core';

/** Locks that the checker must find out. */
export type FlawedName = 'none' | 'no-owner-check';

const modules: Readonly<Record<FlawedName, () => Promise<AdapterModule>>> = {
  none: () => import('./none.ts'),
  'no-owner-check': () => import('./no-owner-check.ts'),
};

/** The flawed provider of that name, as `openLocks` takes it; undefined without a name. */
export async function loadFlawed(name: FlawedName | undefined): Promise<AdapterModule | undefined> {
  return name === undefined ? undefined : await modules[name]();
}
