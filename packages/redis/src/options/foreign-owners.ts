/** Libraries whose values have a form of their own. */
export type ForeignLibrary = 'redlock' | 'redis-semaphore';

const hex = (count: number): string => '[0-9a-f]'.repeat(count);

/** What the values of their locks match, as patterns of Lua. */
export const foreignOwners: Readonly<Record<ForeignLibrary, string>> = {
  redlock: `^${hex(32)}$`,
  'redis-semaphore': `^${[8, 4, 4, 4, 12].map(hex).join('%-')}$`,
};

export const foreignLibraries: readonly ForeignLibrary[] = ['redlock', 'redis-semaphore'];
