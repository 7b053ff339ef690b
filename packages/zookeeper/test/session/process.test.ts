import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { Opened, isThere, ownPath } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500, minSessionTimeout: 1_000 });

/** A process that has a session and the ephemeral node at `path`. */
async function startHolder(path: string, idle: boolean): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('../support/holder.mjs', import.meta.url)));
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  const { host, port } = server;
  child.send({ address: { host, port }, path, sessionTimeout: 2_000, idle });
  expect(await once(child, 'message')).toEqual(['holds', undefined]);
  return child;
}

test('a process that was stopped finds its session lost before it does anything', async () => {
  await using opened = new Opened();
  const observer = await opened.sessions([server]).ready(5_000);
  const path = ownPath();
  const child = await startHolder(path, false);
  child.send('look');
  expect((await once(child, 'message'))[0]).toEqual({ alive: true, aborted: false });
  child.kill('SIGSTOP');
  await eventually('the server has ended the session', async () => !(await isThere(observer, path)));
  child.send('look');
  child.kill('SIGCONT');
  expect((await once(child, 'message'))[0]).toEqual({ alive: false, aborted: true });
});

test('an idle session does not keep its process alive', async () => {
  const child = await startHolder(ownPath(), true);
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
});
