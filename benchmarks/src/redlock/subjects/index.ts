import { loadFrom, presentNames } from '../../subjects/subject-loaders.ts';
import type { Loaders, SubjectNames } from '../../subjects/subject-loaders.ts';
import { rawName, unfencedName } from '../names.ts';
import type { Subject } from './subject.ts';

/** Loads only the needed ones: a process that measures one library does not load the others. */
const loaders: Loaders<Subject> = {
  [rawName]: async () => (await import('./raw.ts')).raw,
  '@locks': async () => (await import('./ours.ts')).ours,
  [unfencedName]: async () => (await import('./ours.ts')).oursUnfenced,
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
