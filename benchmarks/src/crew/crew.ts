import type { CrewReport } from './crew-messages.ts';

/** What a process of a crew does, whether it measures a library or the reference. */
export interface Crew {
  /** Resolves when its first claims are in the queue. */
  begin(): Promise<void>;
  /** Resolves when all turns were taken. */
  readonly done: Promise<void>;
  /** Acquisitions since `measure`. */
  readonly grants: number;
  measure(): void;
  report(): CrewReport | Promise<CrewReport>;
  /** Gives up what it has, in order, where it matters how a process ends. */
  close?(): Promise<void>;
}
