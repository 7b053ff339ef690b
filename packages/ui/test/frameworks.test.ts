import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createUi } from '../src/index.ts';
import { memoryLocks, siteAt } from './support/serve.ts';
import type { Site } from './support/serve.ts';

const own = { 'x-locks-ui': '1', 'sec-fetch-site': 'same-origin' };

async function showAll(site: Site): Promise<void> {
  const { request, state } = site;
  expect(await request('GET', '/admin/locks')).toMatchObject({ status: 302, headers: { location: './locks/' } });
  const { status, body, headers } = await request('GET', '/admin/locks/');
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  expect(body).toContain('<title>Locks</title>');
  expect((await request('GET', '/admin/locks/other')).status).toBe(404);
  const [key] = (await state()).keys;
  const [holder] = key!.holders;
  const query = new URLSearchParams({ key: key!.key, owner: holder!.owner, mode: holder!.mode, confirm: key!.text });
  expect((await request('POST', `/admin/locks/break?${query.toString()}`, own)).body).toBe('{"freed":true}');
  expect((await state()).total).toBe(0);
}

test('Express 5 serves it below a path, after its own authentication and a parser of bodies', async () => {
  const locks = memoryLocks();
  const ui = createUi({ locks, write: true });
  onTestFinished(() => ui.end());
  await locks.acquire('jobs/a');
  let signedIn = false;
  const app = express();
  app.use(express.json());
  app.use('/admin', (_request, response, next) => (signedIn ? next() : void response.status(401).end()));
  app.use('/admin/locks', ui);
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const site = siteAt((server.address() as AddressInfo).port, '/admin/locks');
  expect((await site.request('GET', '/admin/locks/')).status).toBe(401);
  expect((await site.request('GET', '/admin/locks/state')).status).toBe(401);
  signedIn = true;
  await showAll(site);
});

test('Fastify 5 serves it below a path, after its own authentication', async () => {
  const locks = memoryLocks();
  const ui = createUi({ locks, write: true, basePath: '/admin/locks' });
  onTestFinished(() => ui.end());
  await locks.acquire('jobs/a');
  let signedIn = false;
  const app = Fastify();
  app.register(async (admin) => {
    admin.addHook('onRequest', async (_request, reply) => {
      if (!signedIn) await reply.code(401).send();
    });
    for (const url of ['/admin/locks', '/admin/locks/*']) {
      admin.all(url, (request, reply) => {
        reply.hijack();
        ui(request.raw, reply.raw);
      });
    }
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => await app.close());
  const site = siteAt((app.server.address() as AddressInfo).port, '/admin/locks');
  expect((await site.request('GET', '/admin/locks/')).status).toBe(401);
  expect((await site.request('GET', '/admin/locks/state')).status).toBe(401);
  signedIn = true;
  await showAll(site);
});
