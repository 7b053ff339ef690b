import type { CoreRecipe } from './recipe.ts';

export const jobs: readonly CoreRecipe[] = [
  {
    name: 'a slot that is done runs again',
    find: "if (record.state === 'done') return 'done';",
    replace: "if (record.state === 'done') return 'open';",
    caughtBy: ['locks-once', 'locks-once-every'],
  },
  {
    name: 'a run that failed is reported as done',
    find: "now >= at ? 'open' : 'failed';",
    replace: "now >= at ? 'open' : 'done';",
    caughtBy: ['locks-once'],
  },
  {
    name: 'a slot runs after a later one',
    find: "if (record.slot > slot) return 'passed';",
    replace: '',
    caughtBy: ['locks-once'],
  },
  {
    name: 'a job does not tell which process runs it',
    find: 'by, began, next })',
    replace: "by: '', began, next })",
    caughtBy: ['locks-job-running'],
  },
  {
    name: 'a run that is repeated has begun for the first time',
    find: 'tries: again ? record.tries + 1 : 1,',
    replace: 'tries: 1,',
    caughtBy: ['locks-job-failure', 'locks-job-crash'],
  },
  {
    name: 'a run that failed is repeated immediately, whatever the pause',
    find: 'after === 0 ? 0 : (record.ended ?? 0) + after',
    replace: '0',
    caughtBy: ['locks-job-failure'],
  },
  {
    name: 'the exit code of a run that failed is not kept',
    find: '...(Number.isInteger(exitCode) ? { exitCode: exitCode } : {})',
    replace: '',
    caughtBy: ['locks-job-failure'],
  },
  {
    name: 'a run that crashed leaves its slot open',
    find: "return { ...record, state: 'crashed',",
    replace: "return { ...record, state: 'open',",
    caughtBy: ['locks-job-crash'],
  },
  {
    name: 'a run that crashed is at work for ever',
    find: 'const record = isDead ? crashed(was) : was;',
    replace: 'const record = was;',
    caughtBy: ['locks-job-crash', 'locks-job-standby'],
  },
  {
    name: 'a call with wait does not wait',
    find: 'const end = runtime.clock.now() + (wait ?? options.lock.ttl + (options.lock.lockDelay ?? 0) + waiterTtl);',
    replace: 'const end = runtime.clock.now();',
    caughtBy: ['locks-job-standby'],
  },
  {
    name: 'a job is not put into the list',
    find: 'if (was === undefined) await this.#store.enlist(key);',
    replace: '',
    caughtBy: ['locks-job-list'],
  },
  {
    name: 'a job is opened again and again',
    find: "record.state === 'running' || record.state === 'open') return false;",
    replace: "record.state === 'running') return false;",
    caughtBy: ['locks-job-list'],
  },
  {
    name: 'a record is written over whatever is there',
    find: 'const found = await this.#registers.change(`job/${idOf(key)}`, raw, text);',
    replace: 'const found = await this.#registers.change(`job/${idOf(key)}`, (await this.read(key)).raw, text);',
    caughtBy: ['locks-job-race'],
    mayAlsoFail: ['locks-once', 'locks-once-every', 'locks-job-lost-lock'],
  },
  {
    name: 'a record whose answer was lost is not written again',
    find: "if (!isLockError(error, 'LOCK_UNAVAILABLE') || clock.now() >= end) throw error;",
    replace: 'throw error;',
    caughtBy: ['locks-job-lost-answers'],
  },
  {
    name: 'a run whose lock was lost is done',
    find: "await settle(isLost ? 'lost' : 'done')",
    replace: "await settle('done')",
    caughtBy: ['locks-job-lost-lock'],
  },
  {
    name: 'a store without registers is taken for one that does not answer',
    find: "throw new LockError('LOCK_MISCONFIGURED', `once needs a provider with registers",
    replace: "throw new LockError('LOCK_UNAVAILABLE', `once needs a provider with registers",
    registers: false,
    caughtBy: ['locks-once-no-register'],
  },
];
