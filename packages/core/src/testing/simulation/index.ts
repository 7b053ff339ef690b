/** Schedules of several processes in virtual time, played from a seed. */
export { SimulatedProcess } from './process.ts';
export { simulate } from './simulate.ts';
export type { SimulateOptions, Simulated } from './simulate.ts';
export type { Scenario, World } from './world.ts';
