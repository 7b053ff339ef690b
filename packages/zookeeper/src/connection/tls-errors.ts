/** Options of TLS that cannot be used, for example an unreadable key. */
export class TlsOptionsError extends Error {
  override readonly name = 'TlsOptionsError';
}
