import { subscribe } from '@locks/core';
import { onTestFinished } from 'vitest';
import type { WakeMessage } from '../../src/index.ts';

/** What providers of this process tell of how they hear of turns, from now on. */
export function wakeReports(): { readonly messages: readonly WakeMessage[]; readonly states: readonly string[] } {
  const messages: WakeMessage[] = [];
  const states: string[] = [];
  onTestFinished(
    subscribe('locks:wakes', (message) => {
      messages.push(message);
      states.push(message.state);
    }),
  );
  return { messages, states };
}
