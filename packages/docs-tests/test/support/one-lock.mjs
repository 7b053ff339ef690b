// A process that does nothing but hold one lock: `node one-lock.mjs <way> <url>`.
import { openLocks } from '@locks/core';

const [way, url] = process.argv.slice(2);
const locks = await openLocks(url);

if (way === 'withLock') {
  const lead = (lease) => new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
  try {
    await locks.withLock('leader', lead, { maxHold: 500 });
  } catch (error) {
    console.log(error.code);
  }
  // A client that is connected may keep the process alive.
  await locks.close();
} else {
  let lease = await locks.acquire(way);
  if (way === 'wait') {
    const next = locks.acquire(way);
    setTimeout(() => void lease.release(), 200);
    lease = await next;
  }
  console.log(lease.held);
}
