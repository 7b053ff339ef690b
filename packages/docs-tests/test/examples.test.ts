import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Compiled } from './support/examples.ts';
import { connectTo } from './support/addresses.ts';
import { compile, runNode } from './support/examples.ts';
import type { Program } from './support/programs.ts';
import { readPrograms } from './support/programs.ts';
import { root } from './support/repository.ts';

const page = `
\`\`\`ts
import { createLocks, createMemoryProvider } from '@locks/core';

await using locks = createLocks(createMemoryProvider());
\`\`\`
and then
\`\`\`ts continues
console.log(await locks.withLock('key', () => 'held'));
\`\`\`
\`\`\`ts
const text: string = 1;
\`\`\`
\`\`\`ts
throw new Error('on purpose');
\`\`\`
\`\`\`ts
setInterval(() => {}, 1000);
\`\`\`
`;

describe('the examples of a page', () => {
  let compiled: (readonly [Program, Compiled])[];

  beforeAll(async () => {
    const programs = readPrograms({ path: 'sample page.md', text: page });
    compiled = [...(await compile(programs, join(root, 'packages/docs-tests/.cache/sample')))];
  });

  function at(index: number): Compiled {
    return compiled[index]![1];
  }

  test('compile, or fail with the line of the page', () => {
    expect(compiled.map(([, { problems }]) => problems)).toEqual([
      [],
      ["sample page.md:12: error TS2322: Type 'number' is not assignable to type 'string'."],
      [],
      [],
    ]);
  });

  test('run, and find the packages of this workspace', async () => {
    expect(await runNode([at(0).path], { limit: 10_000 })).toEqual({ exitCode: 0, output: 'held\n' });
  });

  test('that throw are told by the line of the page', async () => {
    const outcome = await runNode(['--enable-source-maps', at(2).path], { limit: 10_000 });
    expect(outcome.exitCode).toBe(1);
    expect(outcome.output).toMatch(/on purpose[^]*line-15\.ts:15:/);
  });

  test('that do not end are ended', async () => {
    expect(await runNode([at(3).path], { limit: 300 })).toEqual({ exitCode: undefined, output: '' });
  });
});

test.each([
  ["openLocks('redis://localhost:6379')", "openLocks('redis://there:1/0')"],
  ["openLocks('redis://app:secret@cache.internal:6380/3?ttl=10s')", "openLocks('redis://there:1/3?ttl=10s')"],
  ['new Redis()', 'new Redis("redis://there:1/0")'],
  ['`redis://${host}`', '`redis://${host}`'],
  ["openLocks('postgres://app:secret@localhost:5432/shop?ttl=10s')", "openLocks('postgres://there:2/own?ttl=10s')"],
  ["connection: 'postgresql://localhost'", "connection: 'postgres://there:2/own'"],
  ["openLocks('mysql://app:secret@localhost/shop')", "openLocks('mysql://there:3/own')"],
  ["openLocks('mariadb://localhost/shop?ttl=10s')", "openLocks('mysql://there:3/own?ttl=10s')"],
  [
    "openLocks('zookeeper://app:secret@zk1:2181,zk2:2181/shop?ttl=10s')",
    "openLocks('zookeeper://app:secret@there:4/own?ttl=10s')",
  ],
  ["openLocks('etcd://app:secret@e1,e2:2379/shop?ttl=10s')", "openLocks('etcd://there:5/own?ttl=10s')"],
  ["openLocks('zookeeper://localhost?acl=open')", "openLocks('zookeeper://there:4/own?acl=open')"],
  ["servers: 'zk1:2181,zk2:2181/shop',", "servers: 'there:4/own',"],
  ["openLocks('sqlite:./locks.db')", "openLocks('sqlite:./locks.db')"],
])('%s connects to the server of the tests', (source, expected) => {
  const program: Program = { page: 'page.md', line: 1, file: 'a.ts', source, notRun: undefined };
  const servers = {
    redis: (database: number) => `redis://there:1/${database}`,
    postgres: 'postgres://there:2/own',
    mysql: 'mysql://there:3/own',
    zookeeper: 'there:4/own',
    etcd: 'there:5/own',
  };
  expect(connectTo(program, servers).source).toBe(expected);
});
