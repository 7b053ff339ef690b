import type { Claim, LockProvider } from '../../contract.ts';
import type { Network } from './network.ts';

/** `server`, as a process sees it over its network. `note` receives the answers of the store. */
export function linkTo(
  server: LockProvider,
  network: Network,
  timeout: number,
  note: (line: string) => void,
): LockProvider {
  /** Law 1: an abandoned call takes effect within the ttl, or never. */
  function call<T>(what: string, perform: () => Promise<T>, { owner, ttl }: Partial<Claim> = {}): Promise<T> {
    const noted = async (): Promise<T> => {
      try {
        const answer = await perform();
        if (owner !== undefined) note(`store: ${what} ${owner}: ${shown(answer)}`);
        return answer;
      } catch (error) {
        note(`store: ${what}: ${String(error)}`);
        throw error;
      }
    };
    return network.request(noted, timeout, (ttl ?? Infinity) * 0.9);
  }

  const { list, time, register } = server;
  return {
    name: server.name,
    traits: { ...server.traits, scope: 'network' },
    tryAcquire: (claim, wake) =>
      call('try', () => server.tryAcquire(claim, wake && (() => network.notify(wake))), claim),
    renew: (claim, token) => call('renew', () => server.renew(claim, token), claim),
    release: (claim) => call('release', () => server.release(claim), claim),
    inspect: (key) => call('inspect', () => server.inspect(key)),
    close: async () => {},
    ...(list && { list: (prefix: string) => list.call(server, prefix) }),
    ...(time && { time: () => call('time', () => time.call(server)) }),
    ...(register && { register: (...given) => call('register', () => register.apply(server, given)) }),
  };
}

function shown(answer: unknown): string {
  return JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
