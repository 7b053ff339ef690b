import { elected } from './elected.ts';
import { plain } from './locks-through.ts';
import type { MakeObject } from './locks-through.ts';

/** How lock objects are made as locks with one holder, by their names. */
export const makers: Readonly<Record<string, MakeObject>> = {
  mutex: (locks, key) => locks.mutex(key),
  'reentrant mutex, outermost hold': (locks, key) => plain(locks, key, { reentrant: true }),
  'read/write lock, write side': (locks, key) => locks.readWriteLock(key).write,
  'semaphore of one permit': (locks, key) => locks.semaphore(key, 1),
  'multi-lock of one key': (locks, key) => locks.multiLock([key]),
  'multi-lock of three keys': (locks, key) => locks.multiLock([`${key}/3`, key, `${key}/2`]),
  'elected leader': elected,
};
