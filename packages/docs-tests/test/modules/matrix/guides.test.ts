import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTo } from '../../support/addresses.ts';
import { readPrograms } from '../../support/programs.ts';
import { readPages } from '../../support/repository.ts';
import { createModuleApp } from '../module-app.ts';
import type { ModuleApp } from '../module-app.ts';

const programs = readPages().flatMap((page) => readPrograms(page, 'guides'));

/** The libraries that the guides compare with, Nest, and what compiles them. */
const packages = [
  ...['ioredis@5.11.1', 'redlock@5.0.0-beta.2', 'redis-semaphore@5.8.0', '@verrou/core@0.5.2', 'async-mutex@0.5.0'],
  ...[
    '@nestjs/common@12.5.1',
    '@nestjs/core@12.5.1',
    '@nestjs/schedule@12.0.2',
    'croner@11.0.1',
    'reflect-metadata@0.2.2',
    'rxjs@7.8.2',
  ],
  ...['@types/node@20.19.43', 'typescript@5.9.3'],
];

/** Nest needs the first two. The types of redlock 5 are not found, so its names are `any`. */
const flags = ['--experimentalDecorators', '--emitDecoratorMetadata', '--strict', '--noImplicitAny', 'false'];

let app: ModuleApp | undefined;
let server: ServerHandle | undefined;

beforeAll(async () => {
  const redis = await startRedis();
  server = redis;
  const made = createModuleApp(redis.url, packages);
  app = made;
  const names = programs.map((program, index) => {
    const name = `guide-${index}.mts`;
    const inRedis = (database: number): string => `${redis.url}/${database}`;
    writeFileSync(join(made.folder, name), connectTo(program, { redis: inRedis }).source);
    return name;
  });
  made.compile(names, flags);
}, 300_000);

afterAll(async () => {
  await server?.stop();
  app?.remove();
});

test('each library that the guides compare with has an example', () => {
  const found = ['redlock', 'redis-semaphore', '@verrou/core', 'async-mutex', '@nestjs/core'].filter((name) =>
    programs.some(({ source }) => source.includes(`from '${name}'`)),
  );
  expect(found).toHaveLength(5);
});

test.each(programs.map(({ page, line }, index) => ({ page, line, index })))(
  '$page, line $line, compiles and runs',
  ({ index }) => {
    expect(app?.node([`guide-${index}.mjs`])).not.toContain('Error');
  },
);
