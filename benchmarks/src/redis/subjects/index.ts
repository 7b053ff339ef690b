import { loadFrom, presentNames } from '../../subjects/subject-loaders.ts';
import type { Loaders, SubjectNames } from '../../subjects/subject-loaders.ts';
import { ours } from './ours.ts';
import { raw } from './raw.ts';
import type { Subject } from './subject.ts';

/** Loads only the needed ones: a process that measures one library does not load the others. */
const loaders: Loaders<Subject> = {
  'raw client': async () => raw,
  '@locks': async () => ours,
  verrou: async () => (await import('./verrou.ts')).verrou,
  'redis-semaphore': async () => (await import('./redis-semaphore.ts')).redisSemaphore,
  redlock: async () => (await import('./redlock.ts')).redlock,
  'sesamecare redlock': async () => (await import('./sesamecare.ts')).sesamecare,
  'redlock-universal': async () => (await import('./redlock-universal.ts')).redlockUniversal,
};

export function subjectNames(): SubjectNames {
  return presentNames(Object.keys(loaders));
}

export function loadSubject(name: string): Promise<Subject> {
  return loadFrom(loaders, name);
}
