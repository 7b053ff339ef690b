// Calls `once` at each whole second of its own clock. It prints `<word> <number>`: "run" and the
// token, which has the time of the store's clock, when the work begins; "done" when it ends; "late"
// and the ms by which a call came late; "failed" and the ms of a call that failed.
import { openLocks } from '@locks/core';

const locks = await openLocks(process.argv[2]);
const print = (word, number) => process.stdout.write(`${word} ${number}\n`);

async function tick(began) {
  const after = Date.now() % 1_000;
  if (after > 250) print('late', after);
  try {
    await locks.once('job', { every: '1s' }, async ({ token }) => {
      print('run', token);
      await new Promise((resolve) => setTimeout(resolve, 20));
      print('done', token);
    });
  } catch {
    print('failed', performance.now() - began);
  }
}

(function next() {
  const left = 1_000 - (Date.now() % 1_000);
  setTimeout(() => {
    void tick(performance.now());
    next();
  }, left);
})();
print('ready', process.pid);
