/** Attacks a store with every call and fault that it can draw. */
export { canDo } from './can-do.ts';
export { describeFigures, describeScript, describeViolations } from './describe.ts';
export { drawScript } from './draw/draw-script.ts';
export type { DrawOptions } from './draw/draw-script.ts';
export { faultKinds } from './draw/draw-faults.ts';
export type { Figures } from './round/figures.ts';
export { runScript } from './round/run-script.ts';
export type { Round, RunOptions } from './round/run-script.ts';
export { runNemesis } from './run-nemesis.ts';
export type { NemesisFailure, NemesisOptions, NemesisResult } from './run-nemesis.ts';
export type { Fault, Json, Script, Turn, WorkerScript } from './script.ts';
export { lengthOf, shrinkScript } from './shrink-script.ts';
export type { ShrinkOptions } from './shrink-script.ts';
export type { Address, NemesisTarget, Opening, ServerFault } from './target.ts';
export { openConfigured } from './worker/open.ts';
export type { OpenArguments, OpenedLocks } from './worker/open.ts';
