import { expect, test } from 'vitest';
import { createUser, locksOf } from '../support/locks-program.ts';

const night = new Date('2021-11-29T03:00Z');

test('jobs lists the last run of each job, and --check tells of one that needs a look', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  expect(await user.locks('jobs', '--check')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^No job has run: \S+ has no record\.\n$/),
  });
  await locks.once('mails', night, () => {});
  expect(await user.locks('jobs', '--check')).toMatchObject({ code: 0, output: expect.stringContaining('\n1 job.\n') });
  const fail = (): never => {
    throw new Error('disk \u001B[2J');
  };
  await locks.once('a\u001B[2J', 'ever', fail).catch(() => {});
  await locks.once('import', new Date('2001-01-01T00:00:10Z'), { next: '24h' }, () => {});
  const { code, output } = await user.locks('jobs', '--check');
  expect(code).toBe(1);
  const [head, ...lines] = output.trim().split('\n');
  expect(head).toMatch(/^JOB +STATE +SLOT +TOOK +BY +LAST DONE +NEXT +OVERDUE BY$/);
  expect(lines).toEqual([
    expect.stringMatching(/^a\\x1b\[2J +failed +ever +\d+ ms +web-1 +– +–$/),
    expect.stringMatching(
      /^import +done +2001-01-01T00:00:10Z +\d+ ms +web-1 +2001-01-01T00:00:10Z +2001-01-02T00:00:10Z +\d+ h \d+ min$/,
    ),
    expect.stringMatching(/^mails +done +2021-11-29T03:00Z +\d+ ms +web-1 +2021-11-29T03:00Z +–$/),
    '3 jobs, 1 failed, 1 overdue.',
  ]);
  expect(await user.locks('jobs', 'mai', '--check')).toMatchObject({ code: 0 });
  const rows = (await user.locks('jobs', '--json')).output.trim().split('\n');
  expect(rows.map((row) => JSON.parse(row) as unknown)).toMatchObject([
    { job: 'a\u001B[2J', state: 'failed', slot: 'ever', error: 'disk \u001B[2J', overdue: false },
    { job: 'import', state: 'done', overdue: true, overdueBy: expect.any(Number), took: expect.any(Number) },
    { job: 'mails', state: 'done', slot: night.toJSON(), lastDone: night.toJSON(), by: 'web-1' },
  ]);
});

test('retry and forget say what they find: 0, 1 without such a job, 75 while it runs', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  for (const command of ['retry', 'forget']) {
    const { code, errors } = await user.locks('jobs', command, 'report');
    expect({ command, code, errors }).toMatchObject({
      code: 1,
      errors: expect.stringContaining('job report does not exist'),
    });
  }
  await locks.once('report', night, async () => {
    for (const command of ['retry', 'forget']) {
      const { code, errors } = await user.locks('jobs', command, 'report');
      expect({ command, code, errors }).toMatchObject({
        code: 75,
        errors: expect.stringContaining('is running on web-1'),
      });
    }
  });
  expect(await user.locks('jobs', 'retry', 'report')).toMatchObject({
    code: 0,
    output: 'report: slot 2021-11-29T03:00Z is open again. The next call for it runs.\n',
  });
  const again = await user.locks('jobs', 'retry', 'report', '--json');
  expect(JSON.parse(again.output)).toMatchObject({ opened: false, job: 'report', state: 'open' });
  expect(await user.locks('jobs', 'forget', 'report')).toMatchObject({
    code: 64,
    errors: expect.stringContaining('Add --yes'),
  });
  expect(await user.locks('jobs', 'forget', 'report', '-y')).toMatchObject({ code: 0, output: 'report: forgotten.\n' });
  expect(await locks.job('report')).toBeUndefined();
});
