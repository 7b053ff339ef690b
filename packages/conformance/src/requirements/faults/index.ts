import type { Requirement } from '../../requirement.ts';
import { duplicateRequirements } from './duplicate.ts';
import { locksDelayRequirements } from './locks-delay.ts';
import { locksJobsRequirements } from './locks-jobs.ts';
import { locksRestartRequirements } from './locks-restart.ts';
import { locksSeverRequirements } from './locks-sever.ts';
import { locksSilenceRequirements } from './locks-silence.ts';
import { lostReplyRequirements } from './lost-reply.ts';
import { restartRequirements } from './restart.ts';
import { severManyRequirements } from './sever-many.ts';
import { severRequirements } from './sever.ts';
import { silenceRequirements } from './silence.ts';

/** Requirements that need a hook to hurt the backend, or the way to it. */
export const faultRequirements: readonly Requirement[] = [
  severRequirements,
  severManyRequirements,
  lostReplyRequirements,
  duplicateRequirements,
  silenceRequirements,
  restartRequirements,
  locksSeverRequirements,
  locksDelayRequirements,
  locksSilenceRequirements,
  locksJobsRequirements,
  locksRestartRequirements,
].flat();
