import { startRedis } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import type { Flaw } from '../../support/flaws.ts';
import { checks } from './checks.ts';
import type { Check } from './checks.ts';
import { createSetting } from './setting.ts';

// The checks look at its channels.
const server = await startRedis();
afterAll(() => server.stop());

const span = "redis.call('SET', KEYS[1], owner, 'PX', span)";

const flaws: readonly Flaw<Check>[] = [
  {
    name: 'an assignment to a gone head never lapses',
    script: 'release',
    from: span,
    to: "redis.call('SET', KEYS[1], owner)",
    fails: 'an assignment to a waiter that has gone ends with its place',
  },
  {
    name: 'an assignment lasts for the whole ttl',
    script: 'release',
    from: span,
    to: "redis.call('SET', KEYS[1], owner, 'PX', ttl)",
    fails: 'an assignment to a waiter that has gone ends with its place',
  },
  {
    name: 'a token of one key is given to another',
    script: 'release',
    from: 'string.char(10) .. token',
    to: 'string.char(10) .. clockText',
    fails: 'a key gives its own token, above that of the holder',
  },
  {
    name: 'the token of the holder is given again',
    script: 'release',
    from: 'count(KEYS[2], math.max(micros, above + 1), 1,',
    to: 'count(KEYS[2], 1, 0,',
    fails: 'a key gives its own token, above that of the holder',
  },
  {
    name: 'the message says that the attempt came later',
    script: 'release',
    from: "' ' .. sentAt .. ' '",
    to: "' ' .. string.format('%.0f', sentAt + 500) .. ' '",
    fails: 'a lease counts from the last attempt of its claim',
  },
  {
    name: 'the key of a process that has gone stays taken',
    script: 'release',
    from: "redis.call('DEL', KEYS[1])\nreturn false",
    to: 'return false',
    fails: 'a process that has gone is passed over, and keeps nothing',
  },
  {
    name: 'a process that has gone is believed to listen',
    script: 'release',
    from: "redis.call('PUBLISH', channel .. process, message) > 0",
    to: "redis.call('PUBLISH', channel .. process, message) >= 0",
    fails: 'a process that has gone is passed over, and keeps nothing',
  },
  {
    name: 'a release keeps what was assigned',
    script: 'release',
    from: "if value == owner then\nredis.call('DEL', KEYS[1])",
    to: "if value == owner then\nif redis.call('PTTL', KEYS[1]) > 6000 then redis.call('DEL', KEYS[1]) end",
    fails: 'a waiter that gives up at that moment leaves a free key',
  },
  {
    name: 'a repeat does not restart the ttl',
    script: 'acquire',
    from: "redis.call('PEXPIRE', KEYS[1], ttl)",
    to: '',
    fails: 'a repeat gives the hold its whole ttl',
  },
  {
    name: 'a waiter of an older release is assigned a key',
    script: 'release',
    from: 'if not terms then return nil end',
    to: "terms = terms or '0 60000 0 3600000'",
    fails: 'a waiter without terms is told its turn',
  },
  {
    name: 'the terms stay when the waiter leaves the queue',
    script: 'release',
    from: "redis.call('HDEL', KEYS[7], waiter)",
    to: '',
    fails: 'nothing is left when the queue is empty',
  },
];

test.each(flaws)('finds that $name, as "$fails" fails', async (flaw) => {
  await expect(checks[flaw.fails](createSetting(server.url, { flaw }))).rejects.toThrow(/expected|in vain|not free/);
});
