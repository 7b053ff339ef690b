import { scheduleSilence } from '@locks/core/composite';
import type { MembersHost } from '../members/member-states.ts';

/** Calls `returned` once: when what this gives is called, or after the member timeout. */
export function onceReturned(host: MembersHost, returned: () => void): () => void {
  const { timers, memberTimeout, runtime } = host;
  let open = true;
  const told = (): void => {
    if (!open) return;
    open = false;
    timers.cancel(silence);
    returned();
  };
  const silence = scheduleSilence(timers, runtime.clock.now() + memberTimeout, told);
  return told;
}
