import { onTestFinished } from 'vitest';
import { subscribe } from '../../src/index.ts';
import type { ChannelMessages } from '../../src/index.ts';

/** What is told on that channel until the end of the test. */
export function listen<Name extends keyof ChannelMessages>(name: Name): ChannelMessages[Name][] {
  const told: ChannelMessages[Name][] = [];
  onTestFinished(subscribe(name, (message) => void told.push(message)));
  return told;
}
