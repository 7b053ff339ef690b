/** Options of TLS that cannot be used: a key that cannot be read, for example. */
export class TlsOptionsError extends Error {
  override readonly name = 'TlsOptionsError';
}
