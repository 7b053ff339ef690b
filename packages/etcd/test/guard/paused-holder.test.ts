import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createLocks } from '@locks/core';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createEtcdGuard } from '../../src/index.ts';
import { open, ownPrefix } from '../support/etcd.ts';
import { valueOf } from '../support/values.ts';

// What Jepsen found of etcd's locks: a process that was paused goes on as a holder beside another.
test('a holder that was frozen beyond its ttl writes nothing when it wakes up', async () => {
  const [prefix, target] = [ownPrefix(), `target-${ownPrefix()}`];
  const provider = await open({ prefix });
  const script = fileURLToPath(new URL('../fixtures/holder.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, `${inject('etcdUrl')}/${prefix}`, 'job', target], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const says = async (): Promise<string> => String((await lines.next()).value);
  const first = BigInt((await says()).replace('held ', ''));

  child.kill('SIGSTOP');
  const locks = createLocks(provider);
  const guard = createEtcdGuard(provider);
  await locks.withLock('job', async (lease) => {
    expect(lease.token).toBeGreaterThan(first);
    await guard.write([{ type: 'put', key: target, value: 'of the second' }], lease);
    await guard.writeFenced(target, [{ type: 'put', key: target, value: 'of the second' }], lease);
    child.kill('SIGCONT');
    child.stdin.write('go on\n');
    expect(await says()).toBe('write LOCK_STALE');
    expect(await says()).toBe('writeFenced LOCK_STALE');
    expect(await says()).toBe('held false');
  });
  await exited;
  expect(await valueOf(target)).toBe('of the second');
  await locks.close();
}, 60_000);
