/** One machine that attacks a store with every call and fault that it can draw. */
export type { Fault, Json, Script, Turn, WorkerScript } from './script.ts';
export type { Address, NemesisTarget, Opening, ServerFault } from './target.ts';
