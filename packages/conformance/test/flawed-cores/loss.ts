import type { CoreRecipe } from './recipe.ts';

export const loss: readonly CoreRecipe[] = [
  {
    name: 'a rejected renewal is taken for a loss',
    find: 'renewing.failures += 1;',
    replace: `lease.lose('unanswered', 'its renewal was rejected'); return lease.ended(now);`,
    caughtBy: ['locks-unknown-renewal-by-hand', 'locks-unknown-renewal'],
    mayAlsoFail: ['locks-renewal-pace'],
  },
  {
    name: 'a rejected renewal is not repeated',
    find: 'lease.plan(isFinal(error) ? Infinity : now +',
    replace: 'lease.plan(Infinity +',
    caughtBy: ['locks-unknown-renewal'],
    alone: true,
  },
  {
    name: 'a refused renewal is not repeated',
    find: 'lease.plan(isFinal(error) ? Infinity :',
    replace: 'lease.plan(isPermanent(error) ? Infinity :',
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
    find: 'this.#send(restUntil === undefined ?',
    replace: 'this.#send(true ?',
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
    name: 'a renewal that returns false is ignored',
    find: `if (answer === false) lease.lose('not-held', \`\${provider.name} reports that this owner no longer holds it\`);`,
    replace: '',
    caughtBy: ['locks-loss-by-force'],
    mayAlsoFail: ['locks-loss-by-renewal'],
  },
  {
    name: 'the signal never fires on a loss',
    find: 'this.finish(ending, reason); this.#abort(reason);',
    replace: `this.finish(ending, reason); if (ending === 'closed') this.#abort(reason);`,
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
    find: 'this.host.releases.start(this.#left(',
    replace: `if (ending === 'closed') this.host.releases.start(this.#left(`,
    caughtBy: ['locks-max-hold', 'locks-late-renewal'],
  },
  {
    name: 'withLock conceals that the lease was lost',
    find: 'throw lostDuringWork(lost, { cause: lost, result });',
    replace: 'return result;',
    caughtBy: ['locks-loss-by-force', 'locks-work-after-loss'],
  },
];
