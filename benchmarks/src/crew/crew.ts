import type { CrewReport } from './crew-messages.ts';

/** A process of a crew, for a library or the reference. */
export interface Crew {
  /** Resolves when its first claims are in the queue. */
  begin(): Promise<void>;
  /** Resolves when all turns were taken. */
  readonly done: Promise<void>;
  /** Acquisitions since `measure`. */
  readonly grants: number;
  measure(): void;
  report(): CrewReport | Promise<CrewReport>;
  /** Releases what it has, in order, if it matters how a process ends. */
  close?(): Promise<void>;
}
