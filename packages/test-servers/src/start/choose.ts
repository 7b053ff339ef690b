/** The kind of servers of this run. */
export type Choice =
  | { readonly kind: 'local' }
  | { readonly kind: 'docker'; readonly image: string }
  | { readonly kind: 'external'; readonly url: URL; readonly variable: string };

/**
 * Chooses from the environment. `LOCKS_TEST_<NAME>_URL` names a server that runs already.
 * `LOCKS_TEST_SERVERS=docker` starts containers (of `LOCKS_TEST_<NAME>_IMAGE`, or of `image`). By
 * default, and with `LOCKS_TEST_SERVERS=local`, servers are local processes.
 */
export function chooseServer(name: string, image: string, env: NodeJS.ProcessEnv = process.env): Choice {
  const prefix = `LOCKS_TEST_${name.toUpperCase()}`;
  const variable = `${prefix}_URL`;
  const url = env[variable];
  if (url) {
    if (!URL.canParse(url)) throw new Error(`${variable} is not a URL: write it like ${name}://host:port`);
    return { kind: 'external', url: new URL(url), variable };
  }
  const servers = env['LOCKS_TEST_SERVERS'] || 'local';
  switch (servers) {
    case 'local':
      return { kind: 'local' };
    case 'docker':
      return { kind: 'docker', image: env[`${prefix}_IMAGE`] || image };
    default:
      throw new Error(
        `LOCKS_TEST_SERVERS is "${servers}": use "docker" for containers, "local" (or nothing) for local processes`,
      );
  }
}
