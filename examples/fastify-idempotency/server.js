import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLockError, openLocks } from '@locks/core';
import { fastify } from 'fastify';
import Database from 'libsql';

const file = join(tmpdir(), 'locks-example-idempotency.db');
const locks = await openLocks(process.env.LOCKS_URL || `sqlite:${file}?migrate=true`, { drain: '10s' });

// The answers that were given, for all replicas.
const database = new Database(join(tmpdir(), 'locks-example-payments.db'));
database.exec('PRAGMA busy_timeout = 5000; CREATE TABLE IF NOT EXISTS payments (key TEXT PRIMARY KEY, answer TEXT)');
const find = database.prepare('SELECT answer FROM payments WHERE key = ?');
const insert = database.prepare('INSERT INTO payments (key, answer) VALUES (?, ?)');

/** Calls the bank. It gets the key too: this process may die before it has stored the answer. */
async function pay(key, amount) {
  console.log(`pays ${amount} for ${key}`);
  await sleep(500);
  return { payment: randomUUID(), amount };
}

const app = fastify();
const headers = {
  type: 'object',
  required: ['idempotency-key'],
  properties: { 'idempotency-key': { type: 'string', minLength: 1, maxLength: 200 } },
};
const body = { type: 'object', required: ['amount'], properties: { amount: { type: 'integer', minimum: 1 } } };

app.post('/payments', { schema: { headers, body } }, async (request, reply) => {
  const key = String(request.headers['idempotency-key']);
  // Not request.signal: it aborts when the body has been read.
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return await locks.withLock(`payments/${key}`, { wait: 10_000, signal: gone.signal }, async () => {
    const known = find.get(key);
    if (known !== undefined) return JSON.parse(known.answer);
    const answer = await pay(key, request.body.amount);
    // Should this holder come late, the primary key refuses a second answer.
    insert.run(key, JSON.stringify(answer));
    return answer;
  });
});

app.setErrorHandler(async (error, _request, reply) => {
  if (!isLockError(error)) throw error;
  // Whether it was paid is unknown. The client repeats the request, with the same key.
  await reply.code(503).header('retry-after', '1').send({ error: error.code });
});
app.addHook('onClose', () => locks.close());
console.log('listens on', await app.listen({ port: Number(process.env.PORT ?? 3000) }));
process.once('SIGTERM', () => void app.close());
