import { constants } from 'node:os';
import { isLockError } from '@locks/core';
import { UsageError, help, readArguments } from './arguments.ts';
import { demo } from './demo.ts';
import { messageOf } from './failure.ts';
import { createScreen } from './screen.ts';

const stop = new AbortController();
let interruptedBy: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    interruptedBy ??= name;
    stop.abort();
  });
}

process.exitCode = await main();

async function main(): Promise<number> {
  const screen = createScreen(process.stdout, process.env);
  try {
    const options = readArguments(process.argv.slice(2));
    if (options.help) {
      screen.say(help);
      return 0;
    }
    return (await demo(options, screen, stop.signal)) ? 0 : 1;
  } catch (error) {
    if (interruptedBy !== undefined) {
      console.error('\nStopped. No worker and no file is left behind.');
      return 128 + constants.signals[interruptedBy];
    }
    if (error instanceof UsageError) {
      console.error(`${error.message}\nSee npm run demo -- --help`);
      return 2;
    }
    console.error(messageOf(error));
    return isLockError(error, 'LOCK_MISCONFIGURED') ? 2 : 1;
  }
}
