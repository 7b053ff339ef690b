// A process that sends itself a signal in the middle of an acquisition. The file with its owner is
// written, and the state is not yet replaced.
import { createFolderProvider } from '@locks/example-custom-provider';
import { systemRuntime } from '@locks/core/adapter';

const [, , folder, signal, claim] = process.argv;
const { clock } = systemRuntime;

const provider = createFolderProvider(folder, 60_000, {
  ...systemRuntime,
  clock: {
    now: clock.now,
    exact: clock.exact,
    // Only the token is made from it.
    get origin() {
      process.kill(process.pid, signal);
      return clock.origin;
    },
  },
});

const answer = await provider.tryAcquire(JSON.parse(claim));
process.send({ granted: answer.granted, token: String(answer.token) }, () => process.disconnect());
