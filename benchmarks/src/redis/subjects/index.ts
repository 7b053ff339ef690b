import { ours } from './ours.ts';
import { raw } from './raw.ts';
import type { Subject } from './subject.ts';

/** Of those that are needed only: a process that measures one library does not load the others. */
const loaders: Readonly<Record<string, () => Promise<Subject>>> = {
  'raw client': async () => raw,
  '@locks': async () => ours,
  verrou: async () => (await import('./verrou.ts')).verrou,
  'redis-semaphore': async () => (await import('./redis-semaphore.ts')).redisSemaphore,
  redlock: async () => (await import('./redlock.ts')).redlock,
  'sesamecare redlock': async () => (await import('./sesamecare.ts')).sesamecare,
  'redlock-universal': async () => (await import('./redlock-universal.ts')).redlockUniversal,
};

/** A peer that cannot run here, and why. */
export interface Absence {
  readonly name: string;
  readonly reason: string;
}

const needsNode: Readonly<Record<string, number>> = { 'redlock-universal': 22 };

/** The names of all subjects that run on this Node, and those that do not. */
export function subjectNames(): { readonly present: readonly string[]; readonly absent: readonly Absence[] } {
  const major = Number(process.versions.node.split('.')[0]);
  const names = Object.keys(loaders);
  const tooOld = (name: string): boolean => major < (needsNode[name] ?? 0);
  return {
    present: names.filter((name) => !tooOld(name)),
    absent: names.filter(tooOld).map((name) => ({
      name,
      reason: `needs Node ${needsNode[name]}, this is ${process.versions.node}; see benchmarks/README.md for how to run on a newer one`,
    })),
  };
}

export function loadSubject(name: string): Promise<Subject> {
  const load = loaders[name];
  if (load === undefined) throw new Error(`There is no subject "${name}", only ${Object.keys(loaders).join(', ')}.`);
  return load();
}
