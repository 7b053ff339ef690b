import type { Flaw } from '../../support/flaws.ts';
import type { Check } from './checks.ts';

const noQueue = "redis.call('EXISTS', KEYS[key + width - 1]) == 0";
const otherOwner = "if redis.call('GET', key) ~= owner then return 0 end";

export const flaws: readonly Flaw<Check>[] = [
  {
    name: 'the error of a neighbour leaks',
    script: 'releaseEach',
    from: 'pcall(decide, ARGV[i], KEYS[key], KEYS[key + 1])',
    to: 'true, decide(ARGV[i], KEYS[key], KEYS[key + 1])',
    fails: 'an error of one key does not touch the releases of others',
  },
  {
    name: 'a token of one key is given to another',
    script: 'acquireEach',
    from: 'replies[i - first + 1]',
    to: 'replies[#ARGV - i + 1]',
    fails: 'a key gets its own token',
  },
  {
    name: 'all keys share the counter of the first',
    script: 'acquireEach',
    from: 'mint(counter,',
    to: 'mint(KEYS[2],',
    fails: 'a key gets its own token',
  },
  {
    name: 'a claim passes the queue',
    script: 'acquireEach',
    from: noQueue,
    to: 'true',
    fails: 'a key that is held or awaited is not taken',
  },
  {
    name: 'the only queue is overlooked',
    script: 'acquireEach',
    from: 'unpack(queues)) > 0',
    to: 'unpack(queues)) > 1',
    fails: 'a key that is held or awaited is not taken',
  },
  {
    name: 'a claim takes what another one holds',
    script: 'acquireEach',
    from: "'NX', ",
    to: '',
    fails: 'a key that is held or awaited is not taken',
  },
  {
    name: 'a release forgets the waiter',
    script: 'releaseEach',
    from: noQueue,
    to: 'true',
    fails: 'a release tells the waiter',
  },
  {
    name: 'a release frees the hold of another claim',
    script: 'releaseEach',
    from: otherOwner,
    to: '',
    fails: 'a release frees what its own claim holds',
  },
  {
    name: 'a renewal prolongs the hold of another claim',
    script: 'renewEach',
    from: otherOwner,
    to: '',
    fails: 'a renewal restarts the ttl of what its own claim holds',
  },
  {
    name: 'a renewal leaves the counter to its end',
    script: 'renewEach',
    from: "redis.call('PEXPIRE', counter, ARGV[2])",
    to: "redis.call('PTTL', counter)",
    fails: 'a renewal keeps the counter',
  },
];
