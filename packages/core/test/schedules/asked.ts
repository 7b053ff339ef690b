import type { SimulateOptions } from '../../src/testing/index.ts';

const { LOCKS_SCHEDULES = '150', LOCKS_SCHEDULE_BASE = '20261123', LOCKS_SCHEDULE } = process.env;

/** As the environment asks. */
export const asked: SimulateOptions & { readonly schedules: number } = {
  seed: Number(LOCKS_SCHEDULE_BASE),
  schedules: Number(LOCKS_SCHEDULES),
  ...(LOCKS_SCHEDULE !== undefined && { replay: LOCKS_SCHEDULE }),
};

/** In ms, of one test. */
export const timeout = 1_800_000;
