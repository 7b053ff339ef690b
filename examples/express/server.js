import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLockError, openLocks } from '@locks/core';
import express from 'express';

const file = join(tmpdir(), 'locks-example-express.db');
const locks = await openLocks(process.env.LOCKS_URL || `sqlite:${file}?migrate=true`, { drain: '10s' });

/** Runs `handler` under the lock of a request's key. Others with this key wait for up to 2 s. */
function underLock(keyOf, handler) {
  return async (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    await locks.withLock(keyOf(request), { wait: 2_000, signal: gone.signal }, async (lease) => {
      await handler(request, response, lease);
    });
  };
}

const app = express();
const say = (text) => console.log(`${new Date().toISOString()} ${text}`);
const cartOf = ({ params }) => `cart/${params.id}`;
app.post(
  '/carts/:id/checkout',
  underLock(cartOf, async (request, response, { signal }) => {
    say(`begins cart ${request.params.id}`);
    await sleep(1_000, undefined, { signal });
    say(`ends cart ${request.params.id}`);
    response.json({ cart: request.params.id, process: process.pid });
  }),
);

/** What the client may do: 409 and 503, come again. A lost lease stays an error of the server. */
const statuses = { LOCK_TIMEOUT: 409, LOCK_UNAVAILABLE: 503, LOCK_OVERLOADED: 503, LOCK_CLOSED: 503 };
app.use((error, _request, response, next) => {
  // The client went away while its request waited.
  if (response.destroyed) return;
  const status = isLockError(error) ? statuses[error.code] : undefined;
  if (status === undefined || response.headersSent) {
    next(error);
    return;
  }
  response.status(status).set('Retry-After', '1').json({ error: error.code });
});

const server = app.listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`listens on http://localhost:${server.address().port}`);
});
process.once('SIGTERM', () => server.close(() => void locks.close()));
