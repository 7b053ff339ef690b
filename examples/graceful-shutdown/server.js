import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLockError, openLocks } from '@locks/core';

const file = join(tmpdir(), 'locks-example-shutdown.db');
// `drain`: how long work may go on after `close`. Less than the orchestrator waits before SIGKILL.
const locks = await openLocks(process.env.LOCKS_URL || `sqlite:${file}?migrate=true`, { drain: '20s' });

async function writeReport() {
  console.log('begins');
  await sleep(3_000);
  console.log('ends');
  return 'written\n';
}

async function serve(response) {
  console.log('a request');
  try {
    response.end(await locks.withLock('report', { wait: 10_000 }, writeReport));
  } catch (error) {
    // A waiter is told LOCK_CLOSED: the client asks again, and reaches another replica.
    response.writeHead(isLockError(error) ? 503 : 500, { 'Retry-After': '1', Connection: 'close' });
    response.end(isLockError(error) ? `${error.code}\n` : 'failed\n');
  }
}

const server = createServer((_request, response) => void serve(response));
server.listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`listens on http://localhost:${server.address().port}`);
});

async function shutDown() {
  console.log('SIGTERM');
  const served = new Promise((resolve) => void server.close(resolve));
  // Waiters reject now, work that runs ends under its lock, and then everything is released.
  await locks.close();
  await served;
  console.log('closed');
}
process.once('SIGTERM', () => void shutDown());
