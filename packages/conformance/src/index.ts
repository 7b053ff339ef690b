export type { Condition } from './conditions.ts';
export type { Context, Many } from './context/context.ts';
export { needsFault } from './faults/faults.ts';
export type { Direction, Faults, Need } from './faults/faults.ts';
export { runConformance, startConformance } from './harness.ts';
export type { ConformanceRun } from './harness.ts';
export type { Call, Fate, Interference, Operation, WakeRule } from './checks/interference.ts';
export type { ConformanceOptions, Disturb, LeakCounts, Only } from './options.ts';
export type { LeaseElsewhere, Method } from './processes/messages.ts';
export type { OtherProcess, ProcessesOption } from './processes/other-process.ts';
export type { Random } from './checks/random.ts';
export { printConformance } from './runners/plain.ts';
export { printTable } from './report.ts';
export type { ConformanceReport, RequirementResult, Status } from './report.ts';
export type { Level, Requirement, Subject } from './requirement.ts';
export type { GivenFaults } from './faults/scoped-faults.ts';
export { requirements } from './requirements/index.ts';
export type { Waiting } from './checks/waiting.ts';
export { differentialTest } from './differential/differential-test.ts';
export { exemptionsOf } from './differential/exemptions.ts';
export type {
  Difference,
  DifferentialFault,
  DifferentialOptions,
  DifferentialReport,
  DifferentialRules,
  DifferentialTime,
  DisturbedProvider,
  Exemption,
} from './differential/options.ts';
