import { LockError } from '@locks/core';
import { nearest } from '@locks/core/adapter';
import type { Only } from '../options.ts';
import type { Requirement } from '../requirement.ts';
import { closeRequirements } from './close.ts';
import { declarationRequirements } from './declaration.ts';
import { downgradeRequirements } from './hold/downgrade.ts';
import { exclusionRequirements } from './hold/exclusion.ts';
import { expiryRequirements } from './hold/expiry.ts';
import { fairnessRequirements } from './queue/fairness.ts';
import { faultRequirements } from './faults/index.ts';
import { fencingRequirements } from './hold/fencing.ts';
import { inspectionRequirements } from './inspect.ts';
import { electionsRequirements } from './locks/elections.ts';
import { handOverRequirements } from './locks/transfer.ts';
import { jobsRequirements } from './locks/jobs.ts';
import { lateRequirements } from './locks/late.ts';
import { leasesRequirements } from './locks/leases.ts';
import { lossRequirements } from './locks/loss.ts';
import { objectsRequirements } from './locks/objects.ts';
import { outageRequirements } from './locks/outage.ts';
import { onceRequirements } from './locks/once.ts';
import { unknownRequirements } from './locks/unknown.ts';
import { locksWaitingRequirements } from './locks/waiting.ts';
import { locksWakesRequirements } from './locks/wakes.ts';
import { workRequirements } from './locks/work.ts';
import { namesRequirements } from './names.ts';
import { pausedProcessesRequirements } from './processes/paused-processes.ts';
import { processesJobsRequirements } from './processes/jobs.ts';
import { processesRequirements } from './processes/processes.ts';
import { recordRequirements } from './record.ts';
import { registersRequirements } from './registers.ts';
import { releaseRequirements } from './hold/release.ts';
import { renewalRequirements } from './hold/renewal.ts';
import { repeatRequirements } from './hold/repeat.ts';
import { sharedRequirements } from './hold/shared.ts';
import { waitingRequirements } from './queue/waiting.ts';
import { wakeRequirements } from './queue/wake.ts';
import { wakeSharersRequirements } from './queue/wake-sharers.ts';

/** All requirements, in the order of their checks: basic ones come first. */
export const requirements: readonly Requirement[] = [
  recordRequirements,
  declarationRequirements,
  exclusionRequirements,
  repeatRequirements,
  releaseRequirements,
  expiryRequirements,
  renewalRequirements,
  sharedRequirements,
  downgradeRequirements,
  waitingRequirements,
  wakeRequirements,
  wakeSharersRequirements,
  fairnessRequirements,
  fencingRequirements,
  namesRequirements,
  inspectionRequirements,
  registersRequirements,
  closeRequirements,
  processesRequirements,
  pausedProcessesRequirements,
  leasesRequirements,
  objectsRequirements,
  electionsRequirements,
  handOverRequirements,
  onceRequirements,
  jobsRequirements,
  processesJobsRequirements,
  lossRequirements,
  locksWaitingRequirements,
  workRequirements,
  unknownRequirements,
  lateRequirements,
  outageRequirements,
  locksWakesRequirements,
  faultRequirements,
].flat();

/** The requirements that `only` selects, in their usual order; all without it. */
export function selectRequirements(only: Only | undefined): readonly Requirement[] {
  if (only === undefined) return requirements;
  if (typeof only === 'function') {
    const chosen = requirements.filter((requirement) => only(requirement));
    if (chosen.length > 0) return chosen;
    throw new LockError('LOCK_MISCONFIGURED', 'Conformance options: option "only" chooses no requirement.');
  }
  const unknown = only.find((id) => !requirements.some((requirement) => requirement.id === id));
  if (unknown !== undefined) {
    const near = nearest(
      unknown,
      requirements.map(({ id }) => id),
    ).map((id) => `"${id}"`);
    const hint =
      near.length === 0 ? 'Reports and `requirements` have their ids.' : `Did you mean ${near.join(' or ')}?`;
    throw new LockError(
      'LOCK_MISCONFIGURED',
      `Conformance options: option "only" names ${JSON.stringify(unknown)}, which is no requirement. ${hint}`,
    );
  }
  return requirements.filter(({ id }) => only.includes(id));
}
