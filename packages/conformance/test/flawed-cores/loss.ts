import type { CoreRecipe } from './recipe.ts';

export const loss: readonly CoreRecipe[] = [
  {
    name: 'a rejected renewal is taken for a loss',
    find: 'this.#failures += 1;',
    replace: `this.#lease.lose('its renewal was rejected'); return this.#lease.ended();`,
    caughtBy: ['locks-unknown-renewal-by-hand', 'locks-unknown-renewal'],
    mayAlsoFail: ['locks-renewal-pace'],
  },
  {
    name: 'a rejected renewal is not repeated',
    find: 'this.#lease.plan(permanent ? Infinity : runtime.clock.now() + untilRenewal(',
    replace: 'this.#lease.plan(Infinity + untilRenewal(',
    caughtBy: ['locks-unknown-renewal'],
    alone: true,
  },
  {
    name: 'rejected renewals are repeated without a pause',
    find: 'return Math.max(10, ',
    replace: 'return 0 * Math.max(10, ',
    caughtBy: ['locks-renewal-pace'],
    alone: true,
  },
  {
    name: 'a release frees the key before atLeast is over',
    find: 'if (ending.restUntil === undefined)',
    replace: 'if (true)',
    caughtBy: ['locks-at-least'],
  },
  {
    name: 'a lease that was lost frees its key at once, whatever lockDelay says',
    find: 'clean ? 0 : rest.lockDelay',
    replace: '0',
    caughtBy: ['locks-lock-delay'],
  },
  {
    name: 'lockDelay counts also after a release',
    find: 'clean ? 0 : rest.lockDelay',
    replace: 'rest.lockDelay',
    caughtBy: ['locks-lock-delay'],
  },
  {
    name: 'leases are not renewed',
    find: 'const useful = ',
    replace: 'const useful = false && ',
    caughtBy: ['locks-renewal', 'locks-unknown-renewal', 'locks-short-ttl'],
    alone: true,
  },
  {
    name: 'a renewal that answers false is ignored',
    find: "this.#lease.lose('not-held', `${provider.name} says that this owner does not hold it any more`);",
    replace: '',
    caughtBy: ['locks-loss-by-force'],
    mayAlsoFail: ['locks-loss-by-renewal'],
  },
  {
    name: 'the signal never fires on a loss',
    find: `this.#end('lost', reason); this.#abort(reason);`,
    replace: `this.#end('lost', reason);`,
    caughtBy: ['locks-loss-signal', 'locks-max-hold'],
  },
  {
    name: 'listeners run in the asynchronous context of the flow that started the timer',
    find: 'return outside.runInAsyncScope(callback);',
    replace: 'return callback();',
    caughtBy: ['locks-outside-context'],
  },
  {
    name: 'a lost lease is not released',
    find: 'this.#giveUp(); } #lapse()',
    replace: '} #lapse()',
    caughtBy: ['locks-max-hold', 'locks-late-renewal'],
  },
  {
    name: 'withLock conceals that the lease was lost',
    find: 'throw lostDuringWork(lost, { cause: lost, result });',
    replace: 'return result;',
    caughtBy: ['locks-loss-by-force', 'locks-work-after-loss'],
  },
];
