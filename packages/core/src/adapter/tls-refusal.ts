/** What OpenSSL says of a certificate that it does not accept, as a code of Node. */
const certificateCodes =
  /^(?:UNABLE_TO_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|PATH_LENGTH_|HOSTNAME_MISMATCH$|ERR_TLS_CERT_)/;
/** What ends a handshake: an alert of the server, or bytes that are not TLS. Others may be a fault of the network. */
const handshakeCodes =
  /^ERR_SSL_.*(?:CERTIFICATE|CIPHER|HANDSHAKE_FAILURE|PACKET_LENGTH_TOO_LONG|PROTOCOL|UNKNOWN_CA|UNRECOGNIZED_NAME|VERSION)/;
/** Options that cannot be used: a key that cannot be read, for example. */
const optionCodes = /^ERR_OSSL_/;

/**
 * Why TLS was refused, in the words of OpenSSL, where another attempt with the same options and certificates would fail
 * in the same way. `undefined` for any other error.
 */
export function tlsRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, reason } = error as { readonly code?: unknown; readonly reason?: unknown };
  if (typeof code !== 'string') return undefined;
  if (!certificateCodes.test(code) && !handshakeCodes.test(code) && !optionCodes.test(code)) return undefined;
  // The whole message of OpenSSL has addresses of its own source.
  const words = typeof reason === 'string' && reason !== '' ? reason : error.message;
  return words.trim().slice(0, 120);
}
