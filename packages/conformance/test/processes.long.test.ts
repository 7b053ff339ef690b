import { startConformance } from '@locks/conformance';
import { expect, test } from 'vitest';
import { startRemoteStore } from './fixtures/remote-server.ts';
import type { RemoteStore } from './fixtures/remote-server.ts';
import { mustPass } from './support/memory.ts';
import { acrossProcesses, against, remote } from './support/remote.ts';
import { runSideBySide } from './support/side-by-side.ts';

test('a provider that several processes share passes everything, and leaves no key or connection', async () => {
  const stores: RemoteStore[] = [];
  const report = await runSideBySide(async () => {
    const store = await startRemoteStore();
    stores.push(store);
    const leaks = () => ({ keys: store.keys(), connections: store.connections() });
    return { ...remote(store), leaks };
  });
  await Promise.all(stores.map((store) => store.close()));
  mustPass(report);
  expect(report.results.find(({ id }) => id === 'processes-exclusion')?.status).toBe('passed');
});

test('without a way to start processes, what needs them is unverified', async () => {
  const store = await startRemoteStore();
  const { processes: _, ...options } = remote(store);
  const { results } = await against(store, { ...options, only: acrossProcesses });
  // The store has no registers, so it has no jobs.
  for (const { status, reason } of results.filter(({ id }) => !id.startsWith('processes-job-')))
    expect({ status, reason }).toEqual({ status: 'unverified', reason: 'needs processes' });
});

test('a process that stands still when its check fails is ended with it', async () => {
  const store = await startRemoteStore();
  const processes = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length;
  const before = processes();
  let answered = false;
  const { status, error } = await startConformance(remote(store)).check({
    id: 'stands-still',
    level: 'provider',
    about: 'close',
    title: 'it stands still',
    when: [],
    async check(context) {
      const [paused, resumed] = await Promise.all([context.fork(), context.fork()]);
      await Promise.all([paused.pause(), resumed.pause()]);
      const call = resumed.call('inspect', context.key());
      paused.call('inspect', context.key()).then(
        () => (answered = true),
        () => {},
      );
      resumed.resume();
      await call;
      throw new Error('one answers, the other does not');
    },
  });
  await store.close();
  expect({ status, answered }).toEqual({ status: 'failed', answered: false });
  expect(error?.message).toContain('one answers, the other does not');
  await expect.poll(processes).toBe(before);
});

test('a module that cannot be imported is a failure that says so', async () => {
  const store = await startRemoteStore();
  const { results } = await against(store, {
    ...remote(store),
    processes: { module: '/no/such/module.js' },
    only: ['processes-wake'],
  });
  expect(results[0]?.error?.message).toContain('/no/such/module.js');
});
