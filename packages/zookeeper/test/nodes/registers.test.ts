import { expect, test } from 'vitest';
import type { ZookeeperOptions, ZookeeperProvider } from '../../src/index.ts';
import { Nodes } from '../../src/nodes/nodes.ts';
import { register } from '../../src/nodes/registers.ts';
import type { Sender } from '../../src/session/session.ts';
import { getChildren, getData } from '../../src/wire/requests.ts';
import { openProvider } from '../support/providers.ts';
import { namesOfClaims, openAcl, openClient, ownPath, valueOf } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500 });
const client = await openClient([server], { sessionTimeout: 30_000 });

function provide(root: string, options: ZookeeperOptions = {}): ZookeeperProvider {
  return openProvider(server, { root, ...options });
}

test.each([{}, { recipe: 'read-write' }, { recipe: 'semaphore' }] as const)(
  'registers are in one folder, apart from the keys, whatever the layout of those: %o',
  async (layout) => {
    const root = ownPath();
    const provider = provide(root, layout);
    const names = ['name', '.', '..', 'a/b', '%', '@', 'zookeeper'];
    for (const name of names) expect(await provider.register?.(name, { from: undefined, to: name })).toBe(name);
    expect((await namesOfClaims(client, root)).toSorted()).toEqual(['@base', '@registers']);
    expect(valueOf(await client.send(getData(`${root}/@registers/name`))).data.toString()).toBe('name');
    for (const name of names) expect(await provide(root).register?.(name)).toBe(name);
    for (const name of names) expect(await provider.register?.(name, { from: name, to: undefined })).toBeUndefined();
    expect(valueOf(await client.send(getChildren(`${root}/@registers`))).children).toEqual([]);
    await expect(provider.register?.('a b')).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  },
);

test.each([
  { from: 'text', to: 'ours' },
  { from: 'text', to: undefined },
])('a change fails where the register was removed and made again since it was read: %o', async (change) => {
  const root = ownPath();
  const other = provide(root);
  await other.register?.('name', { from: undefined, to: 'text' });
  let interfered = false;
  const late: Sender = {
    id: client.id,
    watch: (path, fired) => client.watch(path, fired),
    async send(request) {
      // The change, after its read.
      if (request.op === 14 && !interfered) {
        interfered = true;
        await other.register?.('name', { from: 'text', to: undefined });
        await other.register?.('name', { from: undefined, to: 'theirs' });
      }
      return await client.send(request);
    },
  };
  expect(await register(new Nodes(root, openAcl), late, 'name', change)).toBe('theirs');
  expect(await other.register?.('name')).toBe('theirs');
});

test('many registers are made at once, by several processes', async () => {
  const root = ownPath();
  const providers = [0, 1, 2].map(() => provide(root));
  const names = Array.from({ length: 60 }, (_, index) => `name-${index}`);
  const made = await Promise.all(
    names.flatMap((name) =>
      providers.map(async (provider, index) => await provider.register?.(name, { from: undefined, to: `${index}` })),
    ),
  );
  for (const [index, name] of names.entries()) {
    expect(new Set(made.slice(3 * index, 3 * index + 3)), name).toEqual(
      new Set([await providers[0]!.register?.(name)]),
    );
  }
});
