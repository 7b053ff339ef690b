import type { CoreRecipe } from './recipe.ts';

export const givingUp: readonly CoreRecipe[] = [
  {
    name: 'a claim that is given up is not released',
    find: 'if (!left && this.#inFlight === undefined) return;',
    replace: 'if (left !== undefined) return;',
    caughtBy: ['locks-abort', 'locks-timeout', 'locks-abort-through-outage', 'locks-unknown-attempt-given-up'],
    mayAlsoFail: ['locks-late-grant', 'locks-wakes-spurious', 'locks-close', 'locks-polling-pace'],
  },
  {
    name: 'an attempt of which nothing is known is not released',
    find: 'this.#leaves = true; this.#uncertain = true;',
    replace: 'this.#uncertain = true;',
    caughtBy: ['locks-unknown-attempt-given-up'],
  },
  {
    name: 'a release is sent once',
    find: 'await this.#pause(this.#untilNext(abandoned, answer, pause));',
    replace: 'return;',
    caughtBy: ['locks-abort-through-outage', 'locks-release-through-outage', 'locks-unknown-attempt-given-up'],
  },
  {
    name: 'one release that frees nothing is taken as proof after an unknown attempt',
    find: 'answer === false && !unsure',
    replace: 'answer === false',
    caughtBy: ['locks-unknown-attempt-given-up'],
  },
  {
    name: 'a release overtakes the attempt in flight',
    find: 'if (inFlight === undefined)',
    replace: 'inFlight?.catch(() => {}); if (true)',
    caughtBy: ['locks-abort-through-outage'],
    mayAlsoFail: ['locks-late-grant', 'locks-close'],
  },
  {
    name: 'a release is waited for without end',
    find: 'this.#reject(this.#unconfirmed(undefined));',
    replace: ';',
    caughtBy: ['locks-silent-release'],
  },
  {
    name: 'a rejected release is not repeated',
    find: 'releases.start({ ...this.#ending, ended: (last) => this.#ended(last) });',
    replace: '',
    caughtBy: ['locks-release-through-outage'],
  },
  {
    name: 'a release overtakes a downgrade',
    find: 'until === undefined && this.renewing?.unshared !== true ?',
    replace: 'until === undefined ?',
    caughtBy: ['locks-release-of-downgrade'],
  },
  {
    name: 'a refused release is not repeated',
    find: 'else if (isFinal(answer))',
    replace: 'else if (isPermanent(answer))',
    caughtBy: ['locks-release-through-outage'],
  },
  {
    name: 'a refused release of what was given up is not repeated',
    find: 'isFinal(answer) || this.#stopped',
    replace: 'isPermanent(answer) || this.#stopped',
    caughtBy: ['locks-abort-through-outage', 'locks-release-through-outage'],
  },
  {
    name: 'withLock does not release when its work throws',
    find: 'catch (error) { const { lost, freed } = under.endWork(); await freed.catch(nothing);',
    replace: 'catch (error) { const lost = undefined;',
    caughtBy: ['locks-work-throws'],
  },
  {
    name: 'a reentrant hold is shared by all asynchronous contexts',
    find: 'const storage = shared[name];',
    replace:
      'const storage = { getStore() { return this.store; }, run(store, work, hold) { this.store = store; return work(hold); } };',
    caughtBy: ['locks-reentrant-elsewhere'],
  },
  {
    name: 'owners are used again after release',
    find: '(count++).toString(36)',
    replace: `'0'`,
    caughtBy: ['locks-try', 'locks-counter'],
    mayAlsoFail: ['*'],
  },
];
