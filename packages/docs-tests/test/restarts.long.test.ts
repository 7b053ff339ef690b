import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMariadb, startPostgres } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { connectTo } from './support/addresses.ts';
import { openDatabases } from './support/databases.ts';
import { compile } from './support/examples.ts';
import { readPrograms } from './support/programs.ts';
import { readPages, root } from './support/repository.ts';
import { start } from './support/running.ts';

const nowhere = 'nowhere.invalid:1';

/** Takes locks until the server was restarted, before the program ends what it has opened. */
const meanwhile = `{
  const { existsSync } = await import('node:fs');
  let used;
  try {
    used = locks;
  } catch {
    // Not yet, or under another name.
  }
  console.log('IN USE');
  while (!existsSync('restarted')) {
    await used?.tryAcquire('restart').then((lease) => lease?.release()).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
`;
const ends = /^await [\w.]+\.(?:close|end|destroy)\(/m;

test('programs of the documentation outlive a restart of their database', async () => {
  const servers = await Promise.all([startPostgres(), startMariadb()]);
  const groups = servers.map(({ url }) => openDatabases(url));
  onTestFinished(async () => {
    for (const group of groups) await group.remove();
    await Promise.all(servers.map((server) => server.stop()));
  });
  const [postgres, mysql] = groups;
  const programs = readPages()
    .flatMap((page) => readPrograms(page))
    .filter(({ notRun, source }) => notRun === undefined && source.includes("from '@locks/sql'"))
    .map((program, index) =>
      connectTo(program, {
        redis: () => `redis://${nowhere}`,
        zookeeper: nowhere,
        etcd: nowhere,
        postgres: postgres?.url(`${index}`) ?? '',
        mysql: mysql?.url(`${index}`) ?? '',
      }),
    )
    .filter(({ source }) => /\b(?:postgres|mysql):\/\//.test(source) && !source.includes(nowhere));
  const compiled = await compile(programs, join(root, 'packages/docs-tests/.cache/restarts'));

  const running = [];
  for (const [program, { path }] of compiled) {
    for (const group of groups) {
      const [id] = /(?<=docs_\w{8}_)\d+/.exec(program.source) ?? ['0'];
      if (program.source.includes(group.url(id))) await group.create(id);
    }
    const text = readFileSync(path, 'utf8');
    const at = ends.exec(text)?.index ?? text.length;
    writeFileSync(path, `${text.slice(0, at)}${meanwhile}${text.slice(at)}`);
    const cwd = mkdtempSync(join(tmpdir(), 'locks-docs-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const child = start([path], { cwd, env: {} });
    onTestFinished(async () => void (await child.end('SIGKILL')));
    running.push({ name: `${program.page}:${program.line}`, cwd, child });
  }
  expect(running.length).toBeGreaterThan(7);
  await Promise.all(running.map(({ child }) => Promise.race([child.said(/IN USE/), child.end()])));
  await Promise.all(servers.map((server) => server.restart()));
  for (const { cwd } of running) writeFileSync(join(cwd, 'restarted'), '');
  const codes = await Promise.all(
    running.map(async ({ name, child }) => {
      const code = await child.end();
      return code === 0 ? [] : [`${name} ended with ${code}: ${child.lines.slice(0, 20).join('\n')}`];
    }),
  );
  expect(codes.flat().join('\n\n')).toBe('');
});

test('every Pool of pg in the documentation has a listener for the end of its idle connections', () => {
  const without = readPages().flatMap(({ path, text }) =>
    [...text.matchAll(/const (\w+) = new Pool\(.*\n/g)]
      .filter((found) => !text.slice(found.index + found[0].length).startsWith(`${found[1]}.on('error'`))
      .map((found) => `${path}: ${found[0].trim()}`),
  );
  expect(without).toEqual([]);
});
