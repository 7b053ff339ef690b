import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTo } from '../../support/addresses.ts';
import { openDatabases } from '../../support/databases.ts';
import type { Databases } from '../../support/databases.ts';
import { readPrograms } from '../../support/programs.ts';
import { root } from '../../support/repository.ts';
import { createModuleApp } from '../module-app.ts';
import type { ModuleApp } from '../module-app.ts';

const path = 'docs/backends/sql-clients.md';
const programs = readPrograms({ path, text: readFileSync(join(root, path), 'utf8') }, 'orms');

/** What the programs import, and what compiles them. */
const packages = [
  ...['pg@8.23.1', '@types/pg@8.23.1', 'kysely@0.28.19', 'drizzle-orm@0.45.4', 'typeorm@1.1.1'],
  ...['@prisma/adapter-pg@7.10.1', '@prisma/client@7.10.0', 'prisma@7.10.1'],
  ...['@types/node@20.19.43', 'typescript@5.9.3'],
];

const schema = `
generator client {
  provider = "prisma-client-js"
}
datasource db {
  provider = "postgresql"
}
model Stock {
  item String @id
}
`;
const config = `
import { defineConfig } from 'prisma/config';
export default defineConfig({ schema: 'schema.prisma' });
`;

let app: ModuleApp | undefined;
let server: ServerHandle | undefined;
let databases: Databases | undefined;

beforeAll(async () => {
  server = await startPostgres();
  const opened = openDatabases(server.url);
  databases = opened;
  const made = createModuleApp('', packages);
  app = made;
  const write = (name: string, text: string): void => writeFileSync(join(made.folder, name), text);
  write('schema.prisma', schema);
  write('prisma.config.ts', config);
  // Its schema engine is downloaded from elsewhere, and is not needed to generate.
  made.run('env', [`PRISMA_SCHEMA_ENGINE_BINARY=${process.execPath}`, 'npx', 'prisma', 'generate']);
  for (const [index, program] of programs.entries()) {
    const postgres = opened.url(`${index}`);
    await opened.create(`${index}`);
    write(`program-${index}.mts`, connectTo(program, { postgres }).source);
  }
  const names = programs.map((_, index) => `program-${index}.mts`);
  made.compile(names, ['--strict']);
}, 300_000);

afterAll(async () => {
  await databases?.remove();
  await server?.stop();
  app?.remove();
});

test('each ORM that the page names has an example', () => {
  const found = ['kysely', 'drizzle-orm', 'typeorm', '@prisma/client'].filter((name) =>
    programs.some(({ source }) => source.includes(`from '${name}'`)),
  );
  expect(found).toHaveLength(programs.length);
});

test.each(programs.map(({ line }, index) => ({ line, index })))(
  `${path}, line $line, compiles and runs`,
  ({ index }) => {
    expect(app?.node([`program-${index}.mjs`])).toBe('');
  },
);
