import type { CoreRecipe } from './recipe.ts';

export const loss: readonly CoreRecipe[] = [
  {
    name: 'a rejected renewal is taken for a loss',
    file: 'locks/lease/held-lease.js',
    find: 'this.#failures += 1;',
    replace: `this.#lose('its renewal was rejected'); return this.#ended();`,
    caughtBy: ['locks-unknown-renewal-by-hand', 'locks-unknown-renewal'],
    mayAlsoFail: ['locks-renewal-pace'],
  },
  {
    name: 'a rejected renewal is not repeated',
    file: 'locks/lease/held-lease.js',
    find: 'this.#plan(runtime.clock.now() + untilRenewal(',
    replace: 'this.#plan(Infinity + untilRenewal(',
    caughtBy: ['locks-unknown-renewal'],
    alone: true,
  },
  {
    name: 'rejected renewals are repeated without a pause',
    file: 'time/backoff.js',
    find: 'return Math.max(10, ',
    replace: 'return 0 * Math.max(10, ',
    caughtBy: ['locks-renewal-pace'],
    alone: true,
  },
  {
    name: 'leases are not renewed',
    file: 'locks/lease/held-lease.js',
    find: 'const useful = ',
    replace: 'const useful = false && ',
    caughtBy: ['locks-renewal', 'locks-unknown-renewal', 'locks-short-ttl'],
    alone: true,
  },
  {
    name: 'a renewal that answers false is ignored',
    file: 'locks/lease/held-lease.js',
    find: 'this.#lose(`${provider.name} says that this owner does not hold it any more`);',
    replace: '',
    caughtBy: ['locks-loss-by-force'],
    mayAlsoFail: ['locks-loss-by-renewal'],
  },
  {
    name: 'the signal never fires on a loss',
    file: 'locks/lease/held-lease.js',
    find: `this.#end('lost'); this.#abort(reason);`,
    replace: `this.#end('lost');`,
    caughtBy: ['locks-loss-signal', 'locks-max-hold'],
  },
  {
    name: 'listeners run in the asynchronous context of the flow that started the timer',
    file: 'time/outside-context.js',
    find: 'return outside.runInAsyncScope(callback);',
    replace: 'return callback();',
    caughtBy: ['locks-outside-context'],
  },
  {
    name: 'a lost lease is not released',
    file: 'locks/lease/held-lease.js',
    find: 'this.#giveUp(); } #end(state)',
    replace: `}
    #end(state)`,
    caughtBy: ['locks-max-hold', 'locks-late-renewal'],
  },
  {
    name: 'withLock conceals that the lease was lost',
    file: 'locks/with-lock.js',
    find: 'throw lostDuringWork(lost, { cause: lost, result });',
    replace: 'return result;',
    caughtBy: ['locks-loss-by-force', 'locks-work-after-loss'],
  },
];
