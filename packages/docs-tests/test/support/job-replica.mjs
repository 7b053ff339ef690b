// A replica of a service: it calls `once` for its jobs at each round of a schedule, by its own
// clock, and writes what happens into a file: when,
// its pid, the job, what, the round and more, with tabs between them. It begins when it is
// told when the first round is. At a SIGTERM it closes its locks.
import { appendFileSync } from 'node:fs';
import { openLocks } from '@locks/core';

const { url, options, drain, log, period, jobs } = JSON.parse(process.argv[2]);
const locks = await openLocks({ url, options, drain });
let over = false;

/** In ms, of the clock that all processes share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;
const say = (...words) => appendFileSync(log, `${[Math.round(now()), process.pid, ...words].join('\t')}\n`);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** As a schedule names it, in the time zone of this process. */
function local(time) {
  const at = new Date(time);
  const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  return new Date(year, month, day, at.getHours(), at.getMinutes(), at.getSeconds());
}

/** Ends early where it obeys a signal. */
async function work(job, lease) {
  const [least, most] = job.lasts;
  const time = sleep(least + Math.random() * (most - least));
  if (!job.obeys) return await time;
  const aborted = new Promise((_resolve, reject) => {
    lease.signal.addEventListener('abort', () => reject(new Error('stopped')));
  });
  await Promise.race([time, aborted]);
}

async function call(job, round, slot) {
  say(job.key, 'call', round);
  try {
    const result = await locks.once(job.key, slot, job.options, async (lease) => {
      say(job.key, 'start', round);
      try {
        await work(job, lease);
        if (Math.random() < job.fails) throw new Error('failed');
      } catch (error) {
        say(job.key, error.message, round);
        throw error;
      }
      say(job.key, 'ok', round);
    });
    const { slot: at, by, state } = result.job ?? {};
    say(job.key, 'answer', round, result.state, at?.getTime(), state, by);
  } catch (error) {
    say(job.key, 'threw', round, error.code ?? error.message);
  }
}

/** Plans the next round of a job by the clock of this process. */
function plan(job, base, slotBase) {
  const round = Math.floor((Date.now() - base - job.offset) / period) + 1;
  const jitter = job.jitter[0] + Math.random() * (job.jitter[1] - job.jitter[0]);
  const left = base + job.offset + round * period - Date.now();
  setTimeout(() => {
    if (over) return;
    const slot = job.every === undefined ? local(slotBase + round * 1_000) : { every: period, at: job.every };
    void call(job, round, slot);
    // Not before this round is over, by whatever clock.
    setTimeout(() => plan(job, base, slotBase), Math.max(0, job.jitter[1] - jitter) + 10);
  }, left + jitter);
}

process.on('message', ({ base, slotBase }) => {
  for (const job of jobs) plan(job, base, slotBase);
});
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => {
  over = true;
  void locks.close().then(() => process.exit());
});
say('-', 'ready', 0);
