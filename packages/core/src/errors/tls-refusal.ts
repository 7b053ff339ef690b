/** Node's codes for a certificate that OpenSSL rejects. */
const certificateCodes =
  /^(?:UNABLE_TO_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_|PATH_LENGTH_|HOSTNAME_MISMATCH$|ERR_TLS_CERT_)/;
/**
 * Reasons that end a handshake: an alert of the server, or bytes that are not TLS. Others may be
 * faults of the network.
 */
const handshakeCodes =
  /^ERR_SSL_.*(?:CERTIFICATE|CIPHER|HANDSHAKE_FAILURE|PACKET_LENGTH_TOO_LONG|PROTOCOL|UNKNOWN_CA|UNRECOGNIZED_NAME|VERSION)/;
/** Unusable options: a key that cannot be read, for example. */
const optionCodes = /^ERR_OSSL_/;
/** OpenSSL's reason, where Node's code is another, such as EPROTO. */
const opensslReason = /:SSL routines:[^:]*:([^:]+)/;

/**
 * Whether another connection with the same TLS options and certificates would fail in the same way.
 */
export function isTlsRefusal(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string' && [certificateCodes, handshakeCodes, optionCodes].some((known) => known.test(code))) {
    return true;
  }
  const reason = opensslReason.exec(error.message)?.[1];
  return reason !== undefined && handshakeCodes.test(`ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`);
}

/**
 * The reason of a TLS refusal, at most 120 characters. OpenSSL's own message contains source
 * locations.
 */
export function tlsReason(error: Error): string {
  const { reason } = error as { readonly reason?: unknown };
  const words = typeof reason === 'string' && reason !== '' ? reason : error.message;
  return words.trim().slice(0, 120);
}
