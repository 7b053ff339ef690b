import { channel } from 'node:diagnostics_channel';
import { outsideContext } from '../time/outside-context.ts';

/**
 * Publishes the states of one provider on the channel `name`, each only when it changes. `first`:
 * the state that is not published. `reports`: further fields of a message.
 */
export function stateReports<Message extends { readonly provider: string; readonly state: string }>(
  name: string,
  provider: Message['provider'],
  first?: Message['state'],
): (state: Message['state'], reports: Omit<Message, 'provider' | 'state'>) => void {
  const states = channel(name);
  let published = first;
  return (state, reports) => {
    if (state === published) return;
    published = state;
    if (states.hasSubscribers) outsideContext(() => states.publish({ provider, state, ...reports }));
  };
}
