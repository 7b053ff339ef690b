import { chooseServer } from '../start/choose.ts';

/**
 * Throws if the environment requires other servers than local processes. `what` begins the message.
 */
export function mustBeLocal(what: string): void {
  const choice = chooseServer('redis', 'redis:8-alpine');
  if (choice.kind === 'local') return;
  const variable = choice.kind === 'docker' ? 'LOCKS_TEST_SERVERS' : choice.variable;
  throw new Error(`${what} runs as local processes only: unset ${variable}`);
}
