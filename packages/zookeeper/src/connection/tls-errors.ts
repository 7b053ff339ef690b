/** Options of TLS that cannot be used: a key that cannot be read, for example. */
export class TlsOptionsError extends Error {
  override readonly name = 'TlsOptionsError';
}

/** What OpenSSL says of a certificate that it does not accept, as a code of Node. */
const certificateCodes =
  /^(?:UNABLE_TO_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|PATH_LENGTH_|HOSTNAME_MISMATCH$|ERR_TLS_CERT_)/;
/** What ends a handshake: an alert of the server, or bytes that are not TLS. Others may be a fault of the network. */
const handshakeCodes =
  /^ERR_SSL_.*(?:CERTIFICATE|CIPHER|HANDSHAKE_FAILURE|PACKET_LENGTH_TOO_LONG|PROTOCOL|UNKNOWN_CA|UNRECOGNIZED_NAME|VERSION)/;

/** Whether another attempt with the same options and certificates would fail in the same way. */
export function isTlsRefusal(error: unknown): error is Error {
  if (error instanceof TlsOptionsError) return true;
  if (!(error instanceof Error)) return false;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && (certificateCodes.test(code) || handshakeCodes.test(code));
}
