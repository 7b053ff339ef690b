import { setTimeout as sleep } from 'node:timers/promises';
import { cached, locks } from './cached.js';

let computed = 0;
async function report() {
  computed += 1;
  await sleep(1_000);
  return `the report of process ${process.pid}`;
}

const requests = Array.from({ length: 20 }, () => cached('report', 10_000, report));
const answers = new Set(await Promise.all(requests));
console.log(`20 requests, computed here ${computed} times: ${[...answers].join(', ')}`);
await locks.close();
