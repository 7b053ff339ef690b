import { channel } from 'node:diagnostics_channel';
import { outsideContext } from '../time/outside-context.ts';

/**
 * What publishes the states of one provider on the channel `name`: each once, however often it is
 * called for it. `first`: the state that is not published. `reports`: what else a message says.
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
