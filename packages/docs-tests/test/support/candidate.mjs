// A process that stands for election and watches who leads, started by `startChild`. It answers
// 'resign', and writes what happens to a file, so that nothing is lost when it is killed:
// node candidate.mjs
import { appendFileSync } from 'node:fs';
import { serveParent } from '@locks/conformance/processes';
import { openLocks } from '@locks/core';

const { CANDIDATE_STORE, CANDIDATE_FILE, CANDIDATE_LABEL: label } = process.env;
const locks = await openLocks({ ...JSON.parse(CANDIDATE_STORE), label });

/** Ms of the clock that all processes of a host share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;
const note = (what) => appendFileSync(CANDIDATE_FILE, `${JSON.stringify({ by: label, ...what })}\n`);

const election = locks.elect(
  'leader',
  async ({ owner, token, signal }) => {
    note({ type: 'elected', at: now(), owner, token: `${token}` });
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
  { rest: 300 },
);
// The moment before the question counts: the answer may be late.
setInterval(() => {
  const at = now();
  if (election.leading) note({ type: 'leads', at });
}, 10);

serveParent(async (request) => {
  if (request !== 'resign') return 'ready';
  const resigned = await election.resign();
  return { resigned, at: now() };
});

for await (const leader of locks.leadership('leader', { poll: 40 })) {
  note({ type: 'sees', at: now(), owner: leader?.owner ?? null });
}
