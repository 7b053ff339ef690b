import { faketimeLibrary } from './faketime.ts';

/**
 * What gives a process a wall clock that is off by as much as `by` says, such as `+1h`. Clocks that
 * measure durations go on as they are.
 */
export async function wallClockOff(by: string): Promise<Readonly<Record<string, string>>> {
  return { LD_PRELOAD: await faketimeLibrary(), FAKETIME: by, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}
