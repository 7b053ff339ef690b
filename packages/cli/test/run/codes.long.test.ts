import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapters } from '@locks/core/open';
import { startRedis } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { createUser, main } from '../support/locks-program.ts';

test.each([
  { command: ['sh', '-c', 'exit 3'], code: 3 },
  { command: ['sh', '-c', 'kill -9 $$'], code: 137 },
  { command: ['no-such-command'], code: 127, errors: /"no-such-command" was not found/ },
  { command: [''], code: 127, errors: /"" was not found/ },
  { command: ['/etc/passwd'], code: 126, errors: /denied/i },
])('the code of $command is $code', async ({ command, code, errors = /^$/ }) => {
  const outcome = await createUser().locks('run', 'key', '--', ...command);
  expect(outcome).toMatchObject({ code, output: '' });
  expect(outcome.errors).toMatch(errors);
});

test.each([
  { args: ['run', 'key', '--tll', '3s', '--', 'true'], says: 'Did you mean --ttl?' },
  { args: ['rum', 'key'], says: 'Did you mean run?' },
  { args: ['run', 'key', 'true'], says: 'Write -- before the command' },
  { args: ['run', 'key', '--'], says: 'Write -- before the command' },
  { args: ['run', '-v', '--', 'true'], says: 'Write -- before the command' },
  { args: ['run', '--help', '--', 'true'], says: "unknown option '--help'" },
  { args: ['run', '-h', '--', 'true'], says: "unknown option '-h'" },
  { args: ['run', '--version', '--', 'true'], says: "unknown option '--version'" },
  { args: ['run', 'key', '--wait', '30', '--', 'true'], says: 'Write a duration with its unit' },
  { args: ['run', 'key', '--permits', '0', '--', 'true'], says: 'Write a whole number from 1' },
  { args: ['run', 'key', '--ttl', '1ms', '--', 'true'], says: 'from 50ms to 24h' },
  { args: ['run', 'key', '--ttl', '25h', '--', 'true'], says: 'from 50ms to 24h' },
  { args: ['run', 'key', '--ttl', '99.5ms', '--', 'true'], says: 'from 50ms to 24h' },
  { args: ['run', 'key', '--grace', '13h', '--', 'true'], says: 'from 0 to 12h' },
  { args: ['run', 'key', '--at-least', 'Infinity', '--', 'true'], says: 'from 0 to 24h' },
  { args: ['run', 'key', '--once', 'every:99ms', '--', 'true'], says: 'from 100ms to 24h' },
  { args: ['watch', '--interval', '0'], says: 'from 10ms to 24h' },
  { args: ['run', 'key', '--once', 'ever', '--shared', '--', 'true'], says: '--shared has no meaning with --once' },
  { args: ['run', 'key', '--once', 'ever', '--permits', '2', '--', 'true'], says: '--permits has no meaning' },
  { args: ['run', 'key', '--once', 'ever', '--at-least', '1m', '--', 'true'], says: '--at-least has no meaning' },
  { args: ['run', 'key', '--retry', '--', 'true'], says: '--retry needs --once' },
  { args: ['run', 'key', '--next', '1h', '--', 'true'], says: '--next needs --once' },
  { args: ['run', 'key', '--once', 'ever', '--retry-after', '1m', '--', 'true'], says: '--retry-after needs --retry' },
  { args: ['run', '--retry', 'key', '--once', 'ever', '--', 'true'], says: 'Write a whole number from 1 to 1000' },
  { args: ['run', 'key', '--once', 'monday', '--', 'true'], says: 'It is not a slot. Write every:1h, every:24h,at:3h' },
  { args: ['run', 'key', '--once', 'nightly', '--', 'true'], says: 'Write every:24h,at:3h for each day at 03:00 UTC' },
  { args: ['run', 'key', '--once', '@daily', '--', 'true'], says: 'Write every:24h,at:3h for each day at 03:00 UTC' },
  { args: ['run', 'key', '--once', '0 3 * * *', '--', 'true'], says: 'A cron expression is a schedule' },
  { args: ['run', 'key', '--once', '@reboot', '--', 'true'], says: 'A cron expression is a schedule' },
  { args: ['run', 'key', '--once', '2026-11-29', '--', 'true'], says: 'no time zone. Write 2026-11-29T00:00Z' },
  { args: ['run', 'key', '--once', '2026-11-29T03:00', '--', 'true'], says: 'no time zone. Write 2026-11-29T03:00Z' },
  { args: ['run', 'key', '--once', '2026-11-29T03:00:00.001Z', '--', 'true'], says: 'It has milliseconds' },
  { args: ['run', 'key', '--once', '2026-02-30T03:00Z', '--', 'true'], says: 'This time does not exist' },
  { args: ['run', 'key', '--once', '2026-11-29T25:00Z', '--', 'true'], says: 'This time does not exist' },
  { args: ['run', 'key', '--once', 'job:report-by-hand', '--', 'true'], says: 'job:report-29384820' },
  { args: ['run', 'key', '--once', '2126-11-29T03:00Z', '--', 'true'], says: 'ahead of the clock' },
  { args: ['run', 'key', '--once', 'every:soon', '--', 'true'], says: 'Write a duration with its unit' },
  { args: ['run', '', '--', 'true'], says: 'A key must not be empty' },
])('$args is refused with 64: $says', async ({ args, says }) => {
  const { code, errors } = await createUser().locks(...args);
  expect(code).toBe(64);
  expect(errors).toContain(says);
});

test.each([
  { url: 'memory:', code: 78, says: 'memory: is visible to one process only' },
  { url: 'redi://host', code: 78, says: 'no adapter is known for the scheme "redi:"' },
  ...Object.values(adapters)
    .filter(({ module }) => module !== '@locks/composites/combine')
    .flatMap(({ schemes: [scheme] }) => {
      const says = `${scheme}://127.0.0.1:1/0 cannot be reached`;
      return scheme ? [{ url: `${scheme}://me:sec%23ret@127.0.0.1:1/0?connectTimeout=1s`, code: 69, says }] : [];
    }),
])('the store $url is $code, and no password is shown', async ({ url, code, says }) => {
  const outcome = await createUser().locks('run', 'key', '--wait', '0', '--url', url, '--', 'true');
  expect(outcome.code).toBe(code);
  expect(outcome.errors).toContain(says);
  expect(outcome.errors).not.toMatch(/sec.*ret/);
});

test.each([{ options: ['--wait', '1m'] }, { options: [] }, { options: ['--once', 'ever'] }])(
  'a store that does not answer at the start is tried again, with $options',
  async ({ options }) => {
    await using server = await startRedis();
    await server.kill();
    const started = createUser().start(['run', 'key', ...options, '--url', server.url, '--', 'echo', 'ran']);
    await expect.poll(started.complaints).toMatch(/cannot be reached\..*\. Tries again for \d/);
    await server.restart();
    expect(await started.ended).toMatchObject({ code: 0, output: 'ran\n' });
  },
);

test('a store that does not answer within --wait is 69, and the cause is told', async () => {
  const began = performance.now();
  const outcome = await createUser().locks('run', 'key', '--wait', '1s', '--url', 'redis://127.0.0.1:1', '--', 'true');
  expect(outcome.code).toBe(69);
  expect(outcome.errors).toContain('ECONNREFUSED');
  expect(performance.now() - began).toBeGreaterThan(1_000);
});

test('a key that is held is 75, or what -E says, and names its holder', async () => {
  const user = createUser();
  const holder = user.start(['run', 'key', '-v', '--', 'sh', '-c', 'echo started; sleep 60']);
  await expect.poll(holder.written).toContain('started');
  const busy = await user.locks('run', 'key', '--wait', '1s', '--', 'true');
  expect(busy.code).toBe(75);
  expect(busy.errors).toContain(`held by`);
  expect(busy.errors).toContain(`:${holder.process.pid}. Raise --wait`);
  expect((await user.locks('run', 'key', '--wait', '0', '-E', '0', '--', 'true')).code).toBe(0);
  // TERM reaches the command, and its end gives the lock back.
  holder.process.kill('SIGTERM');
  // systemd takes a code of 143 for a failure, and an end by TERM for none.
  expect(await holder.ended).toMatchObject({ code: 143, signal: 'SIGTERM' });
  expect((await user.locks('run', 'key', '--wait', '0', '--', 'true')).code).toBe(0);
});

test('a run within a run of the same key is refused at once, and of another key is not', async () => {
  const user = createUser();
  const nested = (inner: string): string => `${process.execPath} ${main} run ${inner} -- echo inner`;
  const same = await user.locks('run', 'key', '--', 'sh', '-c', nested('key'));
  expect(same.code).toBe(64);
  expect(same.errors).toContain('enclosing `locks run` holds "key"');
  const other = await user.locks('run', 'key', '--', 'sh', '-c', nested('other'));
  expect(other).toMatchObject({ code: 0, output: 'inner\n' });
});

test('--ttl may be what a store keeps at most, with each --grace', async () => {
  const inspect = `${process.execPath} ${main} inspect key --json`;
  for (const grace of ['0', '12h']) {
    const options = ['--ttl', '24h', '--grace', grace, '--', 'sh', '-c', inspect];
    const { output, code } = await createUser().locks('run', 'key', ...options);
    expect(code).toBe(0);
    const { holders } = JSON.parse(output) as { readonly holders: readonly { readonly remaining: number }[] };
    expect(holders[0]?.remaining).toBeGreaterThan(86_000_000);
  }
});

test('the command knows its lock, reads its input, and writes into the output', async () => {
  const script = 'echo "$LOCKS_KEY $LOCKS_HELD $LOCKS_OWNER $LOCKS_TOKEN"; cat; echo err >&2';
  const { output, errors } = await createUser().start(['run', 'a b', '--', 'sh', '-c', script], { input: 'in' }).ended;
  expect(output).toMatch(/^a b a b [^ ]+\/[^ ]+ \d{16}\nin$/);
  expect(errors).toBe('err\n');
});

test('--json tells what happens as lines of JSON, with the token as text', async () => {
  const { errors } = await createUser().locks('run', 'key', '--json', '-v', '--', 'true');
  const lines = errors
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toEqual([
    { event: 'store', store: expect.stringContaining('sqlite:/') },
    { event: 'held', key: 'key', owner: expect.stringContaining('/'), token: expect.stringMatching(/^\d+$/) },
  ]);
  const busy = await createUser().locks('run', 'key', '--json', '--url', 'redi:', '--', 'true');
  expect(JSON.parse(busy.errors)).toMatchObject({ event: 'error', exitCode: 78 });
});

test('a file counts that is named, LOCKS_URL is stronger, and what is on the command line the strongest', async () => {
  const user = createUser();
  const folder = join(user.home, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'locks.config.json'), '{ "url": "sqlite:file.db?migrate=true" }');
  const storeOf = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { errors } = await user.start(['run', 'key', '-v', ...args, '--', 'true'], { cwd: folder, env }).ended;
    return /locks are in (.*)/.exec(errors)?.[1] ?? errors;
  };
  expect(await storeOf([])).toMatch(/^sqlite:\/.*locks\.db$/);
  const named = { LOCKS_CONFIG: 'locks.config.json' };
  expect(await storeOf([], named)).toBe('sqlite:file.db');
  const env = { ...named, LOCKS_URL: 'sqlite:environment.db?migrate=true' };
  expect(await storeOf([], env)).toBe('sqlite:environment.db');
  expect(await storeOf(['--config', 'locks.config.json'], env)).toBe('sqlite:file.db');
  const argument = ['--url', 'sqlite:argument.db?migrate=true'];
  expect(await storeOf(argument, env)).toBe('sqlite:argument.db');
  expect(await storeOf(['--config', 'locks.config.json', ...argument], env)).toBe('sqlite:argument.db');
});
