import { isLockError, subscribe } from '@locks/core';
import type { LockMessage, Subscription } from '@locks/core';
import { span } from '@locks/core/text';
import { prefixesOf } from './looks.ts';
import type { Timeline, TimelineEvent } from './timeline.ts';

/** Which locks of the process are followed. */
interface Told {
  /** The name of their provider. */
  readonly name: string;
  readonly prefix: string;
}

/** Adds the events of this process's locks to `timeline`, until the returned function is called. */
export function followChannels(timeline: Timeline, { name, prefix }: Told): () => void {
  const add = (message: LockMessage, event: Pick<TimelineEvent, 'kind' | 'detail'>): void => {
    const { provider, key, owner } = message;
    if (provider === name && prefixesOf(prefix).some((each) => key.startsWith(each)))
      timeline.add({ key, owner, ...event });
  };
  const subscriptions: readonly Subscription[] = [
    subscribe('locks:acquire', (message) => {
      add(message, { kind: 'granted', detail: `token ${message.token}, waited ${span(message.waited)}` });
    }),
    subscribe('locks:release', (message) => {
      const { error, heldFor } = message;
      const doubt = error === undefined ? '' : ', and the store did not confirm it';
      add(message, { kind: 'released', detail: `held for ${span(heldFor)}${doubt}` });
    }),
    subscribe('locks:transfer', (message) => {
      add(message, { kind: 'transferred', detail: `held for ${span(message.heldFor)}` });
    }),
    subscribe('locks:lost', (message) => {
      add(message, { kind: 'lost', detail: `${message.code}, held for ${span(message.heldFor)}` });
    }),
    subscribe('locks:slow', (message) => {
      const by = message.by.length === 0 ? '' : `, held by ${message.by.join(', ')}`;
      add(message, { kind: 'slow', detail: `since ${span(message.waited)}${by}` });
    }),
    subscribe('locks:giveup', (message) => {
      const { error, waited } = message;
      // A `tryAcquire` that found the key busy is no event.
      if (error === undefined) return;
      const why = isLockError(error) ? error.code : 'aborted';
      add(message, { kind: 'gave-up', detail: `${why}, waited ${span(waited)}` });
    }),
    subscribe('locks:withdraw', (message) => {
      const { reason, freed } = message;
      if (reason === 'forced' && freed) add(message, { kind: 'broken' });
    }),
  ];
  return () => {
    for (const end of subscriptions) end();
  };
}
