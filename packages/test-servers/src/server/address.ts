/** The address of a server. It stays the same for the life of a handle, including restarts. */
export interface ServerAddress {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** The address that a URL names. */
export function addressOf(url: URL, defaultPort: number): ServerAddress {
  // Only URLs put an IPv6 address into brackets.
  return { url: url.href, host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || defaultPort) };
}
