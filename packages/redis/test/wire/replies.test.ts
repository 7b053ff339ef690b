import { describe, expect, test } from 'vitest';
import { toAnswer, toLockError } from '../../src/wire/replies.ts';
import { scripts } from '../../src/wire/scripts.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const { lua } = scripts.renew;
const sha = '0a9f75e991483d02789696e4c90d26c10395863e';
const line = lua.split('\n').findIndex((text) => text.includes("redis.call('EXISTS', KEYS[3])")) + 1;
const claim = { key: 'job', owner: 'a/1', ttl: 1_000, mode: 'exclusive' } as const;

const explain = (text: string): ReturnType<typeof toLockError> =>
  toLockError(new Error(text), { what: 'a renewal on "job"', claim, lua });

describe('what servers of all versions say', () => {
  test.each([
    [
      '7.2 and newer, Valkey',
      `ERR ACL failure in script: User locker has no permissions to run the 'exists' command script: ${sha}, on @user_script:${line}.`,
    ],
    [
      '7.0',
      `ERR The user executing the script can't run this command or subcommand script: ${sha}, on @user_script:${line}.`,
    ],
    [
      '6.2',
      `ERR Error running script (call to f_${sha}): @user_script:${line}: @user_script: ${line}: The user executing the script can't run this command or subcommand `,
    ],
    ['another wrapping', `NOPERM ACL failure in script: User locker has no permissions to run the 'exists' command`],
    ['7.2 and newer, outside of scripts', "NOPERM User locker has no permissions to run the 'exists' command"],
    ['7.0, outside of scripts', "NOPERM this user has no permissions to run the 'exists' command"],
    ['6.2, outside of scripts', "NOPERM this user has no permissions to run the 'exists' command or its subcommand"],
  ])('a command that is not permitted, %s', (_version, text) => {
    const error = explain(text);
    expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED', key: 'job' });
    expect(error.message).toContain('Grant its user +exists;');
    expect(error.message).not.toContain(sha);
    expect(error.message.length).toBeLessThan(300);
  });

  test.each([
    [
      '7.2 and newer',
      `ERR ACL failure in script: No permissions to access a key script: ${sha}, on @user_script:${line}.`,
    ],
    [
      '7.0',
      `ERR The user executing the script can't access at least one of the keys mentioned in the command arguments script: ${sha}, on @user_script:${line}.`,
    ],
    [
      '6.2',
      `ERR Error running script (call to f_${sha}): @user_script:1: @user_script: 1: The user executing the script can't access at least one of the keys mentioned in the command arguments `,
    ],
    ['7.2 and newer, outside of scripts', 'NOPERM No permissions to access a key'],
    ['7.0, outside of scripts', 'NOPERM this user has no permissions to access one of the keys used as arguments'],
  ])('keys that are not permitted, %s', (_version, text) => {
    expect(explain(text)).toMatchObject(misconfigured('Grant its user its keys (~)'));
  });

  test.each([
    [
      '7.2 and newer',
      `ERR ACL failure in script: No permissions to access a channel script: ${sha}, on @user_script:${line}.`,
    ],
    [
      '7.0',
      `ERR The user executing the script can't publish to the channel mentioned in the command script: ${sha}, on @user_script:${line}.`,
    ],
    ['7.0, outside of scripts', 'NOPERM this user has no permissions to access one of the channels used as arguments'],
  ])('a channel that is not permitted, %s', (_version, text) => {
    expect(explain(text)).toMatchObject(misconfigured('Grant its user its channel (&)'));
  });

  test.each(['NOAUTH Authentication required.', 'WRONGPASS invalid username-password pair or user is disabled.'])(
    'wrong credentials: %s',
    (text) => {
      expect(explain(text)).toMatchObject(misconfigured('password'));
    },
  );

  test.each([
    ['6.0, an option', `ERR Error running script (call to f_${sha}): @user_script:9: ERR syntax error`],
    [
      '6.0, a command',
      `ERR Error running script (call to f_${sha}): @user_script:9: @user_script: 9: Unknown Redis command called from Lua script `,
    ],
    ['7.0, an option', `ERR syntax error script: ${sha}, on @user_script:9.`],
    ['7.0, a command', `ERR Unknown Redis command called from script script: ${sha}, on @user_script:9.`],
    ['without scripts', 'ERR unknown command `evalsha`, with args beginning with: '],
  ])('that they lack something, %s', (_version, text) => {
    expect(explain(text)).toMatchObject(misconfigured('6.2 or newer'));
  });

  test('that they are one node of a Cluster', () => {
    expect(explain('MOVED 12182 127.0.0.1:7001')).toMatchObject(misconfigured('Cluster'));
  });

  test.each([
    `READONLY You can't write against a read only replica. script: ${sha}, on @user_script:9.`,
    `ERR Error running script (call to f_${sha}): @user_script:9: @user_script: 9: -READONLY You can't write against a read only replica. `,
    `OOM command not allowed when used memory > 'maxmemory'. script: ${sha}, on @user_script:9.`,
    'LOADING Redis is loading the dataset in memory',
    'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
    'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
    'NOREPLICAS Not enough good replicas to write.',
    'ERR max number of clients reached',
    'Connection is closed.',
  ])('that another time they may do it: %s', (text) => {
    expect(explain(text)).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });
});

test('a token is read as an integer or as text, and nothing else passes for one', () => {
  expect(toAnswer(1_795_000_000_000_000)).toEqual({ granted: true, token: 1_795_000_000_000_000n });
  expect(toAnswer('9007199254740993')).toEqual({ granted: true, token: 9_007_199_254_740_993n });
  for (const busy of [-25, '-25']) expect(toAnswer(busy)).toEqual({ granted: false, retryAfter: 25 });
  for (const wrong of [null, undefined, 'OK', '', 1.5, [], {}]) {
    expect(() => toAnswer(wrong), JSON.stringify(wrong)).toThrow(/not an integer/);
  }
  // Of a release, of a pipeline that is out of step.
  for (const other of [1, '1', 6_000]) {
    expect(() => toAnswer(other)).toThrow(expect.objectContaining({ code: 'LOCK_UNAVAILABLE' }) as Error);
  }
});
