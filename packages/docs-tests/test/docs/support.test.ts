import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readManifest, root, workspaceFolders } from '../support/repository.ts';

const page = read('docs/support.md');
const published = workspaceFolders()
  .map((folder) => readManifest(folder))
  .filter((manifest) => manifest.private !== true);

test('the versions of Node are those of the matrix, and none is older than each package says', () => {
  const [, matrix = ''] = /node: \[([\d, ]+)\]/.exec(read('.github/workflows/ci.yml')) ?? [];
  const rows = rowsBelow('Node');
  expect(rows.map(([version]) => version)).toEqual(matrix.split(', '));
  const [, oldest = ''] = rows[0] ?? [];
  const engines = published.map(({ engines: { node } = {} }) => node);
  expect(new Set(engines)).toEqual(new Set([`>=${oldest.replace(/\.0$/, '')}`]));
});

/** Where an adapter refuses a store that is too old. */
const refusals: Readonly<Record<string, readonly [file: string, message: RegExp]>> = {
  Redis: ['redis/src/connect/check-version.ts', /it must be ([\d.]+) or newer/],
  Postgres: ['sql/src/postgres/connection/check-version.ts', /Postgres ([\d.]+) and newer/],
  MariaDB: ['sql/src/mysql/connection/check-version.ts', /MariaDB ([\d.]+), MySQL/],
  MySQL: ['sql/src/mysql/connection/check-version.ts', /MySQL ([\d.]+) and newer/],
  SQLite: ['sql/src/sqlite/connection/check-version.ts', /SQLite ([\d.]+) and newer/],
  ZooKeeper: ['zookeeper/src/nodes/refusal.ts', /it must be ([\d.]+) or newer/],
  etcd: ['etcd/src/connection/members.ts', /; ([\d.]+) or newer is needed/],
};

test('the oldest version of a store is the one that its adapter does not refuse', () => {
  const refused = Object.entries(refusals).map(([store, [file, message]]) => [
    store,
    message.exec(read(`packages/${file}`))?.[1],
  ]);
  expect(rowsBelow('Stores').map(([store, oldest]) => [store, oldest])).toEqual(refused);
});

test('the containers are those that the tests start', () => {
  const servers = readdirSync(join(root, 'packages/test-servers/src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(`packages/test-servers/src/${name}`));
  const started = servers.flatMap((source) =>
    [...source.matchAll(/[iI]mage(?: =|:) '([^']+)'/g)].map(([, image = '']) => image),
  );
  const listed = rowsBelow('Stores').flatMap(([, , image = '']) => (image === '' ? [] : [image.replaceAll('`', '')]));
  expect(listed.toSorted()).toEqual([...new Set(started)].toSorted());
});

test('the clients are the peer dependencies', () => {
  const peers = published.flatMap(({ name, peerDependencies = {} }) =>
    Object.entries(peerDependencies)
      .filter(([peer]) => !peer.startsWith('@locks/'))
      .map(([peer, range]) => [name, peer, range].join(' ')),
  );
  const listed = rowsBelow('Client libraries').map((cells) => cells.join(' ').replaceAll(/[`\\]/g, ''));
  // npm installs any version of a client. The packages check those that are used.
  const ranges = listed.map((row) => row.replace(/^(@locks\/(?!conformance|nestjs)\S+ \S+) .*$/, '$1 *'));
  expect(ranges.toSorted()).toEqual(peers.toSorted());
});

/** The cells of the table below a heading, without its head. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
