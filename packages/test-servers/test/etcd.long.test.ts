import { afterAll, describe, expect, test } from 'vitest';
import { eventually, startEtcd, startEtcdCluster } from '../src/index.ts';
import type { ServerHandle } from '../src/index.ts';
import { chooseServer } from '../src/start/choose.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function ask({ host, port }: ServerHandle, path: string, body: object, within = 3_000): Promise<object> {
  const signal = AbortSignal.timeout(within);
  const response = await fetch(`http://${host}:${port}/v3/kv/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as object;
}

const write = (server: ServerHandle, value: string, within?: number): Promise<object> =>
  ask(server, 'put', { key: base64('key'), value: base64(value) }, within);

async function read(server: ServerHandle): Promise<string | undefined> {
  const { kvs = [] } = (await ask(server, 'range', { key: base64('key') })) as { kvs?: { value: string }[] };
  const [kv] = kvs;
  return kv === undefined ? undefined : Buffer.from(kv.value, 'base64').toString();
}

// The members of a cluster are local processes.
describe.runIf(chooseServer('etcd', '').kind === 'local')('etcd', () => {
  test('keeps what was written through a kill, and loses it where it starts empty', async () => {
    await using server = await startEtcd();
    await write(server, 'value');
    await server.kill();
    await server.restart();
    expect(await read(server)).toBe('value');
    await server.restart({ keepData: false });
    expect(await read(server)).toBeUndefined();
  });

  test('answers nothing while it is paused', async () => {
    await using server = await startEtcd();
    await server.pause();
    await expect(write(server, 'value', 300)).rejects.toThrow(/timeout/);
    await server.resume();
    await write(server, 'value');
  });

  test('tells in its own words why it cannot start', async () => {
    await expect(startEtcd({ args: ['--no-such-option'] })).rejects.toThrow(/no-such-option/);
  });
});

describe.runIf(chooseServer('etcd', '').kind === 'local')('a cluster of etcd', async () => {
  const cluster = await startEtcdCluster();
  afterAll(() => cluster.stop());

  test('a leader that is cut off writes nothing, and the others go on; healed, all have the same', async () => {
    const first = await cluster.leader();
    const heal = cluster.partition(first);
    const next = await eventually('another leader', async () => {
      const leader = await cluster.leader();
      return leader !== first && leader;
    });
    await write(next, 'of the majority');
    await expect(write(first, 'of one', 1_000)).rejects.toThrow();
    heal();
    await eventually('the first to follow', async () => (await read(first).catch(() => '')) === 'of the majority');
  });

  test('a member that was killed comes back', async () => {
    const killed = await cluster.leader();
    await killed.kill();
    const next = await cluster.leader();
    expect(next).not.toBe(killed);
    await write(next, 'meanwhile');
    await killed.restart();
    expect(await read(killed)).toBe('meanwhile');
  });
});
