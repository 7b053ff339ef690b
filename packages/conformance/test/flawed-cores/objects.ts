import type { CoreRecipe } from './recipe.ts';

export const objects: readonly CoreRecipe[] = [
  {
    name: 'a downgrade changes what the lease says, and not the hold',
    file: 'locks/lease/held-lease.js',
    find: 'this.#unshared = true;',
    replace: '',
    caughtBy: ['locks-downgrade'],
  },
  {
    name: 'a downgrade releases, and shares anew',
    file: 'locks/lease/held-lease.js',
    find: 'const answer = await provider.tryAcquire(this.#claim);',
    replace: 'await provider.release(this.#claim); const answer = await provider.tryAcquire(this.#claim);',
    caughtBy: ['locks-downgrade'],
  },
  {
    name: 'a multi-lock takes its keys in the order of its caller',
    file: 'objects/multi-lock.js',
    find: 'once.sort();',
    replace: '',
    caughtBy: ['locks-multi-lock'],
  },
  {
    name: 'a multi-lock keeps what it has when a key is not free',
    file: 'objects/multi-lock.js',
    find: 'await giveBack(leases); return null;',
    replace: 'return null;',
    caughtBy: ['locks-multi-lock'],
  },
  {
    name: 'the read side is exclusive',
    file: 'objects/shared-objects.js',
    find: "read: new KeyLock(locks, key, { mode: 'shared' }),",
    replace: "read: new KeyLock(locks, key, { mode: 'exclusive' }),",
    caughtBy: ['locks-read-write-lock', 'locks-downgrade'],
  },
  {
    name: 'a call waits for its own context',
    file: 'manager.js',
    find: 'settings.waitForSelf ? undefined : this.#flow.current',
    replace: 'undefined',
    caughtBy: ['locks-deadlock', 'locks-deadlock-shared'],
  },
  {
    name: 'a permit is refused although others have permits',
    file: 'locks/flow.js',
    find: 'return shares >= permits',
    replace: 'return shares > 0',
    caughtBy: ['locks-deadlock-shared'],
  },
];
