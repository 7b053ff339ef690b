import { expect, test } from 'vitest';
import type { Crew } from '../src/crew.ts';
import { compareRuns } from '../src/demo.ts';
import { createScreen } from '../src/screen.ts';
import { openTasks } from '../src/task-crew.ts';

test('workers that take no lock where they should are found out', async () => {
  const crew = await openTasks('memory:', new AbortController().signal);
  const reckless: Crew = { ...crew, run: (plan, observe) => crew.run({ ...plan, locked: false }, observe) };
  const lines: string[] = [];
  const screen = { ...createScreen(process.stdout, {}), say: (line: string) => void lines.push(line), progress() {} };

  expect(await compareRuns(reckless, { help: false, workers: 4, updates: 4 }, screen)).toBe(false);
  expect(lines.at(-1)).toMatch(/FAILED: with the lock the balance is \d+ after 16 updates\./);
  expect(await compareRuns(crew, { help: false, workers: 4, updates: 4 }, screen)).toBe(true);
  await crew.close();
});
