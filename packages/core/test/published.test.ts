import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const core = fileURLToPath(new URL('..', import.meta.url));
let folder: string;

/** Takes a lock that is held, and prints the stack of the error. */
const program = `
import { createLocks, createMemoryProvider } from './package/dist/bundle/index.js';
const locks = createLocks(createMemoryProvider());
const lease = await locks.acquire('seat');
const { stack } = await locks.acquire('seat', { wait: 0 }).catch((error) => error);
await lease.release();
console.log(stack);
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'locks-published-'));
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: core,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run('tar', ['-xzf', join(folder, filename), '-C', folder]);
  await writeFile(join(folder, 'program.mjs'), program);
}, 60_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The stack of an error, as a process of the packed package prints it. */
async function stackOf(...flags: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [...flags, join(folder, 'program.mjs')]);
  return stdout;
}

it('opens no handle when it is loaded, as hooks see it', async () => {
  const file = join(folder, 'handles.mjs');
  await writeFile(
    file,
    `import { createHook } from 'node:async_hooks';
    const open = new Map();
    createHook({
      init: (id, type) => void (type !== 'PROMISE' && open.set(id, type)),
      destroy: (id) => void open.delete(id),
    }).enable();
    const { createLocks, createMemoryProvider } = await import('./package/dist/bundle/index.js');
    const locks = createLocks(createMemoryProvider(), { closeProvider: true });
    await (await locks.acquire('seat')).release();
    await locks.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    console.log([...open.values()].filter((type) => /^[a-z]/.test(type)).join());`,
  );
  const { stdout } = await run(process.execPath, [file]);
  expect(stdout.trim()).toBe('');
}, 30_000);

describe('a stack trace of the published package', () => {
  it('names the folder', async () => {
    const stack = await stackOf();
    expect(stack).toMatch(/at Object\.timeoutError \(\S+\/dist\/bundle\/errors-options-time\.cjs:\d+:\d+\)/);
    expect(stack).toMatch(/\boverdue \(\S+\/dist\/bundle\/leases\.cjs:\d+:\d+\)/);
  }, 30_000);

  it('names the module and its queue with --enable-source-maps', async () => {
    const stack = await stackOf('--enable-source-maps');
    expect(stack).toMatch(/at Object\.timeoutError \(\S+\/src\/errors\/messages\.ts:\d+:\d+\)/);
    expect(stack).toMatch(/Wait\.overdue \(\S+\/src\/leases\/acquire\/wait\.ts:\d+:\d+\)/);
  }, 30_000);
});
