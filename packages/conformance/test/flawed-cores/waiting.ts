import type { CoreRecipe } from './recipe.ts';

export const waits: readonly CoreRecipe[] = [
  {
    name: 'a rejected attempt is taken for contention',
    find: 'rejected(error) { this.#busy = false;',
    replace: 'rejected(error) { this.#busy = true;',
    caughtBy: ['locks-outage-is-not-contention'],
  },
  {
    name: 'a rejected attempt is repeated as another owner',
    find: '#tryAgain(error) {',
    replace: '#tryAgain(error) { this.#sent = new SentClaim(this.#host, this.#call.settings, this.#call.key);',
    caughtBy: ['locks-repeats-its-claim', 'locks-unknown-attempt-given-up'],
  },
  {
    name: 'a wake while an attempt is in flight is forgotten (lost wake-up)',
    find: `this.#phase = 'woken';`,
    replace: ';',
    caughtBy: ['locks-wake-in-flight'],
    mayAlsoFail: ['locks-counter'],
  },
  {
    name: 'the end of the wait is not looked at while an attempt is in flight',
    find: 'if (endsAt < Infinity || this.timerNext !== undefined) waitTimers.schedule(this, endsAt);',
    replace: 'waitTimers.cancel(this);',
    caughtBy: ['locks-silent-backend'],
  },
  {
    name: 'the signal does not end a wait',
    find: 'host.signals.follow(signal, this);',
    replace: ';',
    caughtBy: ['locks-abort', 'locks-abort-through-outage', 'locks-silent-backend'],
    mayAlsoFail: ['locks-wakes-spurious'],
  },
  {
    name: 'retryAfter is not waited for',
    find: 'return retryAfter * (1 - ',
    replace: 'return 0 * (1 - ',
    caughtBy: ['locks-polling-pace'],
    mayAlsoFail: ['locks-wakes-spurious', 'locks-wake-in-flight'],
    alone: true,
  },
  {
    name: 'rejected attempts are repeated without a pause',
    find: 'return Math.min(firstPoll * ',
    replace: 'return 0 * Math.min(firstPoll * ',
    caughtBy: ['locks-outage-is-not-contention'],
    alone: true,
  },
  {
    name: 'close leaves leases',
    find: 'const ended = lease.close(reason);',
    replace: 'const ended = undefined;',
    caughtBy: ['locks-close'],
  },
  {
    name: 'close does not wait for work',
    find: 'if (working.length > 0 && drain > 0)',
    replace: 'if (false)',
    caughtBy: ['locks-close-drains'],
  },
  {
    name: 'close leaves waiters',
    find: 'acquisition.close(reason);',
    replace: ';',
    caughtBy: ['locks-close', 'locks-silent-backend'],
  },
];
