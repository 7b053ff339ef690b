import type { World } from './world.ts';

/** All tokens that there are, in their order. */
export function tokensOf({ contenders, stores, highest }: World): bigint[] {
  const tokens: bigint[] = [highest, 0n];
  const see = (token: bigint | undefined): void => {
    if (token !== undefined && !tokens.includes(token)) tokens.push(token);
  };
  for (const { hold } of stores) see(hold?.token);
  for (const { machine, lease, calls } of contenders) {
    see(machine.token);
    see(machine.floor);
    see(lease?.token);
    for (const part of machine.parts) see(part.token);
    for (const { token, answer } of calls) {
      see(token);
      if (answer?.kind === 'granted') see(answer.token);
    }
  }
  return tokens.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0));
}
