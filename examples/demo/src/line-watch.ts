import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { now } from './clock.ts';

/** When the claims of this process took their place in line, as the diagnostics of `@locks/core` tell. */
export interface LineWatch {
  /** When `owner` was told to wait; `undefined` if it never was. Tells it once. */
  take(owner: string): number | undefined;
  stop(): void;
}

export function watchLine(): LineWatch {
  const since = new Map<string, number>();
  const remember = (message: unknown): void => {
    since.set((message as { readonly owner: string }).owner, now());
  };
  subscribe('locks:wait', remember);
  return {
    take(owner) {
      const time = since.get(owner);
      since.delete(owner);
      return time;
    },
    stop() {
      unsubscribe('locks:wait', remember);
    },
  };
}
