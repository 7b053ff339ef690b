import { startZookeeper } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { createUser } from '../support/locks-program.ts';

test('where a lock ends with its session, run says what of its options that means', async () => {
  await using server = await startZookeeper();
  const url = server.url.replace('//', '//app:secret@');
  const user = createUser();
  expect(await user.locks('run', 'key', '--url', url, '--', 'true')).toMatchObject({
    code: 0,
    errors: expect.stringContaining('With --grace 0 the command is killed immediately'),
  });
  const once = ['run', 'report', '--once', 'ever', '--grace', '0', '--url', url, '--', 'echo', 'ran'];
  expect(await user.locks(...once)).toMatchObject({ code: 0, output: 'ran\n' });
  expect(await user.locks(...once)).toMatchObject({
    code: 0,
    output: '',
    errors: expect.stringContaining('Not run again'),
  });
  expect(await user.locks('run', 'key', '--at-least', '1m', '--url', url, '--', 'true')).toMatchObject({
    code: 64,
    output: '',
    errors: expect.stringMatching(/^locks: --at-least: /),
  });
});
