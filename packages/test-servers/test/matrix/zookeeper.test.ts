import { dirname } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { chooseServer } from '../../src/start/choose.ts';
import { fourLetterWord, modeOf, startZookeeper } from '../../src/index.ts';
import { openZookeeper } from '../zookeeper-client.ts';

const way = chooseServer('zookeeper', 'zookeeper:3.9').kind;

describe.skipIf(way === 'external')('a ZooKeeper', () => {
  test('grants sessions as long as its ticks say, allows any number of connections, and answers all words', async () => {
    await using server = await startZookeeper({ tickTime: 300 });
    using short = await openZookeeper(server.url, 1);
    using long = await openZookeeper(server.url, 1_000_000);
    expect([short.timeout, long.timeout]).toEqual([600, 6_000]);
    expect(await fourLetterWord(server, 'conf')).toMatch(/^maxClientCnxns=0$/m);
    expect(await fourLetterWord(server, 'cons')).toContain('to=6000');
    expect(await fourLetterWord(server, 'mntr')).toMatch(/^zk_server_state\tstandalone$/m);
    expect(await modeOf(server)).toBe('standalone');
  });

  test('a word is not waited for longer than was said', async () => {
    await using server = await startZookeeper();
    await server.pause();
    await expect(fourLetterWord(server, 'srvr', 50)).rejects.toThrow('no answer to srvr within 50 ms');
    expect(await modeOf(server)).toBeUndefined();
  });
});

describe.runIf(way === 'local')('the options of a ZooKeeper', () => {
  test('settings, options and properties of Java reach it, and settings win', async () => {
    await using server = await startZookeeper({
      minSessionTimeout: 123,
      maxSessionTimeout: 4_567,
      config: { maxClientCnxns: '37' },
      javaProperties: { 'jute.maxbuffer': '2000' },
      javaOptions: ['-Xmx96m'],
    });
    using session = await openZookeeper(server.url, 1);
    expect(session.timeout).toBe(123);
    expect(await fourLetterWord(server, 'conf')).toMatch(/^maxClientCnxns=37$[^]*^maxSessionTimeout=4567$/m);
    await expect(session.create('/too-much', 'x'.repeat(3_000))).rejects.toThrow();
    // What the collector keeps for itself is not counted.
    expect(await fourLetterWord(server, 'envi')).toMatch(/^os\.memory\.max=9\dMB$/m);
  });

  test('what changes files runs while the server is down, with the folder of its data', async () => {
    await using server = await startZookeeper();
    const folder = /^dataDir=(.*)$/m.exec(await fourLetterWord(server, 'conf'))?.[1] ?? '';
    const meanwhile = vi.fn(async (dataFolder: string) => {
      expect(dataFolder).toBe(dirname(folder));
      expect(server.pid).toBeUndefined();
    });
    await server.restart({ meanwhile });
    expect(meanwhile).toHaveBeenCalledOnce();
    await expect(server.restart({ meanwhile: () => Promise.reject(new Error('no')) })).rejects.toThrow('no');
    expect(server.pid).toBeUndefined();
    await server.restart();
    expect(await modeOf(server)).toBe('standalone');
  });
});
