import type { CoreRecipe } from '../flawed-cores/recipe.ts';

/** A core that passes keys on wrongly, and what must be said of it. */
export interface FlawedHandOff extends Omit<CoreRecipe, 'caughtBy'> {
  readonly says: RegExp;
}

const hold = 'locks/hand-off/local-hold.js';
const line = 'locks/hand-off/local-line.js';

export const flaws: readonly FlawedHandOff[] = [
  {
    name: 'a hold is handed on with its token',
    file: hold,
    find: 'this.token += 1n;',
    replace: ';',
    says: /has the same token/,
  },
  {
    name: 'the tokens are not reserved in the store',
    file: hold,
    find: 'provider.renew(stored, token)',
    replace: 'provider.renew(stored)',
    says: /has the same token/,
  },
  {
    name: 'a token less than needed is reserved',
    file: hold,
    find: 'this.token + BigInt(this.#left)',
    replace: 'this.token + BigInt(this.#left - 1)',
    says: /has the same token/,
  },
  {
    name: 'the count never ends',
    file: hold,
    find: 'this.#left -= 1;',
    replace: ';',
    says: /had its turn \d+ times while another one waited/,
  },
  {
    name: 'the time never ends',
    file: hold,
    find: 'this.#left > 0 && now < this.#until &&',
    replace: 'this.#left > 0 &&',
    says: /a claim waited while another process had its turn/,
  },
  {
    name: 'a claim that has handed its hold on can still release it',
    file: line,
    find: 'if (hold.owner !== claim.owner) return Promise.resolve(false);',
    replace: '',
    says: /could release it/,
  },
  {
    name: 'the hold is released in the store and handed on',
    file: line,
    find: 'return this.#pass(hold, next);',
    replace: 'return void hold.release(claim), this.#pass(hold, next);',
    says: /the next lease was lost|the key was free/,
  },
  {
    name: 'the validity counts from the hand-off',
    file: hold,
    find: 'Math.max(0, this.#end - clock.exact())',
    replace: 'this.#stored.ttl',
    says: /lasts for longer than the store keeps it/,
  },
  {
    name: 'the claim that is handed the hold is not woken',
    file: line,
    find: 'this.#waiters.wake(next);',
    replace: ';',
    says: /did not end in time/,
  },
];
