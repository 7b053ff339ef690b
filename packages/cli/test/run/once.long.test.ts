import { startRedis } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { createUser, locksOf } from '../support/locks-program.ts';
import type { Outcome, Started, User } from '../support/locks-program.ts';
import { isGone, stubbornCommand } from '../support/stubborn-command.ts';
import { ctrlC, openTerminal } from '../support/terminal.ts';

const slot = '2021-11-29T03:00Z';

/** Runs `words` in the slot of the job `report`. */
async function report(user: User, options: readonly string[], ...words: readonly string[]): Promise<Outcome> {
  return await user.locks('run', 'report', '--once', slot, ...options, '--', ...words);
}

/** A run that ends when it is told to. */
async function runner(user: User, ...options: readonly string[]): Promise<Started> {
  const script = 'echo started; sleep 60';
  const started = user.start(['run', 'report', '--once', slot, ...options, '--', 'sh', '-c', script]);
  await expect.poll(started.written).toContain('started');
  return started;
}

const line = (text: string): unknown => expect.stringMatching(new RegExp(`^locks: report: ${text}\n$`));
const at = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z`;

test('a slot that runs, and one that is done or past, are 0 with a line each', async () => {
  const user = createUser();
  expect(await report(user, [], 'echo', 'ran')).toMatchObject({
    code: 0,
    output: 'ran\n',
    errors: line(`ran in .*s, slot ${slot}\\.`),
  });
  expect(await report(user, [], 'echo', 'ran')).toMatchObject({
    code: 0,
    output: '',
    errors: line(`done by .+:\\d+ at ${at}, took .*s, slot ${slot}\\. Not run again\\.`),
  });
  const past = await user.locks('run', 'report', '--once', '2021-11-29T02:59:30Z', '-E', '9', '--', 'echo', 'ran');
  expect(past).toMatchObject({
    code: 0,
    output: '',
    errors: line(`slot 2021-11-29T02:59:30Z is past, slot ${slot} has begun\\. Not run\\.`),
  });
});

test('a slot that failed stays so, with the code of its command, until it is opened again', async () => {
  const user = createUser();
  const next = 'Run it again: locks jobs retry report';
  expect(await report(user, [], 'sh', '-c', 'exit 3')).toMatchObject({
    code: 3,
    errors: line(`failed \\(exit 3\\) after .*s, slot ${slot}\\. ${next}`),
  });
  expect(await report(user, ['-E', '9'], 'echo', 'ran')).toMatchObject({
    code: 3,
    output: '',
    errors: line(`failed \\(exit 3\\) on .+ at ${at}, slot ${slot}\\. ${next}`),
  });
  expect(await user.locks('jobs', 'retry', 'report')).toMatchObject({
    code: 0,
    output: `report: slot ${slot} is open again. The next call for it runs.\n`,
  });
  expect(await report(user, [], 'echo', 'ran')).toMatchObject({ code: 0, output: 'ran\n' });
});

test.each([
  { words: ['sh', '-c', 'kill -9 $$'], code: 137 },
  { words: ['no-such-command'], code: 127 },
])('the code of $words is recorded: $code', async ({ words, code }) => {
  const user = createUser();
  expect(await report(user, [], ...words)).toMatchObject({ code });
  expect(await report(user, [], 'true')).toMatchObject({ code, errors: line(`failed \\(exit ${code}\\) .*`) });
});

test('--retry runs a failed slot again, so many times and so long after', async () => {
  const user = createUser();
  const once = ['--retry', '1', '--retry-after', '1h'];
  expect(await report(user, ['--retry', '1'], 'sh', '-c', 'exit 3')).toMatchObject({
    code: 3,
    errors: line(`failed .* The next call runs it again, try 2 of 2\\.`),
  });
  expect(await report(user, once, 'echo', 'ran')).toMatchObject({
    code: 3,
    output: '',
    errors: line(`failed .* The next call from ${at} on runs it again, try 2 of 2\\.`),
  });
  expect(await report(user, ['--retry', '1'], 'sh', '-c', 'exit 4')).toMatchObject({
    code: 4,
    errors: line(`failed .* Run it again: locks jobs retry report`),
  });
  expect(await report(user, ['--retry', '1'], 'echo', 'ran')).toMatchObject({ code: 4, output: '' });
  expect(await report(user, ['--retry'], 'echo', 'ran')).toMatchObject({ code: 0, output: 'ran\n' });
});

test('a slot that runs elsewhere is 75, or what -E says, and TERM leaves it stopped', async () => {
  const user = createUser();
  const first = await runner(user, '--retry');
  const busy = `runs on .+:${first.process.pid} since ${at}, slot ${slot}\\. To wait for its end: --wait`;
  expect(await report(user, [], 'echo', 'ran')).toMatchObject({ code: 75, output: '', errors: line(busy) });
  const { code, errors } = await report(user, ['-E', '0', '--json'], 'true');
  expect(code).toBe(0);
  expect(JSON.parse(errors)).toMatchObject({
    event: 'job',
    answer: 'running',
    code: 0,
    job: 'report',
    slot: '2021-11-29T03:00:00.000Z',
  });
  const standby = user.start(['run', 'report', '--once', slot, '--wait', '1m', '--retry', '--', 'echo', 'took over']);
  const locks = await locksOf(user);
  await expect.poll(async () => (await locks.inspect('once/report')).waiters).toBe(1);
  first.process.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ signal: 'SIGTERM', errors: line('stopped \\(exit 143\\) after .*') });
  expect(await standby.ended).toMatchObject({ code: 0, output: 'took over\n' });
});

test('TERM ends a call that waits, and Ctrl-C in a terminal leaves a run stopped', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  const terminal = await openTerminal(user.home);
  await terminal.enter(`$locks run report --once ${slot} -- sh -c 'echo rea""dy; exec cat'`, 'ready');
  const standby = user.start(['run', 'report', '--once', slot, '--wait', '1m', '--', 'true']);
  await expect.poll(async () => (await locks.inspect('once/report')).waiters).toBe(1);
  standby.process.kill('SIGTERM');
  expect(await standby.ended).toMatchObject({ signal: 'SIGTERM', errors: '' });
  terminal.type(ctrlC);
  await terminal.seesCode(130);
  expect(await locks.job('report')).toMatchObject({ state: 'stopped', exitCode: 130, tries: 0 });
});

test('a run that is killed has crashed, which is 76', async () => {
  const user = createUser();
  const first = await runner(user, '--ttl', '300ms', '--grace', '0');
  first.process.kill('SIGKILL');
  const waiting = await report(user, ['--wait', '30s'], 'echo', 'ran');
  expect(waiting).toMatchObject({
    code: 76,
    output: '',
    errors: line(`crashed on .+, begun at ${at}, slot ${slot}\\. Run it again: locks jobs retry report`),
  });
  expect(await user.locks('jobs', '--check')).toMatchObject({ code: 1, output: expect.stringContaining('1 crashed.') });
});

test('a standby takes over from a run that is killed when the command of that run is gone', async () => {
  const user = createUser();
  const { words, pids } = stubbornCommand(user.home);
  const options = ['--once', slot, '--retry', '--ttl', '300ms', '--grace', '2s'];
  const first = user.start(['run', 'report', ...options, '--', ...words]);
  const processes = await pids();
  const standby = user.start(['run', 'report', ...options, '--wait', '30s', '--', 'sh', '-c', 'echo begun; sleep 60']);
  first.process.kill('SIGKILL');
  await expect.poll(standby.written, { timeout: 30_000 }).toContain('begun');
  expect(processes.map(isGone)).toEqual([true, true]);
});

test('a run whose lock is broken ends, and is recorded as lost', async () => {
  const user = createUser();
  const first = await runner(user, '--ttl', '1s', '--grace', '0');
  expect(await user.locks('break', 'report', '--yes')).toMatchObject({
    code: 64,
    errors: expect.stringContaining('locks break once/report'),
  });
  expect((await user.locks('break', 'once/report', '--yes')).code).toBe(0);
  expect(await first.ended).toMatchObject({
    code: 76,
    errors: expect.stringMatching(/is lost.*\n.*report: lost after/),
  });
  expect(await report(user, [], 'true')).toMatchObject({ code: 76, errors: line('lost on .*') });
});

test('a store that does not answer ends the command with 76, and the run has crashed', async () => {
  await using server = await startRedis();
  const user = createUser();
  const url = ['--url', server.url];
  const { words, pids } = stubbornCommand(user.home);
  const options = ['--once', slot, '--ttl', '1s', '--grace', '200ms', ...url];
  const started = user.start(['run', 'report', ...options, '--', ...words]);
  const processes = await pids();
  await server.pause();
  expect(await started.ended).toMatchObject({ code: 76, errors: expect.stringContaining('is lost') });
  expect(processes.map(isGone)).toEqual([true, true]);
  await server.resume();
  expect(await report(user, [...url, '--wait', '30s'], 'true')).toMatchObject({
    code: 76,
    errors: line('(crashed|lost) .*'),
  });
});

test('the slot of a Kubernetes Job is the minute in its name, and --next says when the next one is due', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  const minutes = Math.floor(Date.now() / 60_000);
  expect(
    await user.locks('run', 'report', '--once', `job:report-${minutes}`, '--next', '24h', '--', 'true'),
  ).toMatchObject({ code: 0 });
  const named = new Date(60_000 * minutes);
  expect(await locks.job('report')).toMatchObject({ slot: named, next: new Date(named.getTime() + 86_400_000) });
  expect(await user.locks('run', 'mails', '--once', 'every:24h,at:3h', '--', 'true')).toMatchObject({ code: 0 });
  expect((await locks.job('mails'))?.next?.getUTCHours()).toBe(3);
});
