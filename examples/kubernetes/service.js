// The service of the Deployment. Each replica calls `once` each minute, and one runs the job.
import { createServer } from 'node:http';
import { openLocks } from '@locks/core';

const minute = 60_000;
// Shorter than terminationGracePeriodSeconds without the sleep of preStop: work that ends in this
// time is done, and after SIGKILL it would have crashed.
const locks = await openLocks(process.env.LOCKS_URL, { drain: '30s' });
let stopping = false;
let timer;

async function sendMails({ signal, token }) {
  signal.throwIfAborted();
  console.log(`sends the mails, with token ${token}`);
}

function planNext() {
  const next = new Date(Math.ceil((Date.now() + 1) / minute) * minute);
  timer = setTimeout(() => {
    planNext();
    void runOnce(next);
  }, next.getTime() - Date.now());
}

async function runOnce(slot) {
  try {
    const { state } = await locks.once('mails', slot, { onFailure: 'retry', next: '1m' }, sendMails);
    console.log(`mails of ${slot.toISOString()}: ${state}`);
  } catch (error) {
    // It is recorded, and another replica or the next minute tries again.
    console.error(error);
  }
}

const server = createServer((request, response) => {
  // /live does not ask the store: a restart of all replicas would not bring the store back.
  const isWell = request.url === '/live' || (request.url === '/ready' && !stopping);
  response.writeHead(isWell ? 200 : 503).end();
});
server.listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`listens on http://localhost:${server.address().port}`);
});
planNext();

async function shutDown() {
  stopping = true;
  clearTimeout(timer);
  // The signal of work that runs aborts, its end is recorded, and then its lock is released.
  await locks.close();
  server.close();
}
process.once('SIGTERM', () => void shutDown());
