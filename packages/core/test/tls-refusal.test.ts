import { describe, expect, it } from 'vitest';
import { tlsRefusal } from '../src/adapter/index.ts';

const failure = (code: unknown, message: string, reason?: string): Error =>
  Object.assign(new Error(message), { code, ...(reason === undefined ? {} : { reason }) });

describe('a refusal of TLS', () => {
  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate'],
    ['CERT_HAS_EXPIRED', 'certificate has expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames"],
    ['HOSTNAME_MISMATCH', 'hostname mismatch'],
  ])('is a certificate that is not accepted: %s', (code, message) => {
    expect(tlsRefusal(failure(code, message))).toBe(message);
  });

  it.each([
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'wrong version number'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tlsv13 alert certificate required'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tlsv1 alert protocol version'],
    ['ERR_OSSL_PEM_NO_START_LINE', 'no start line'],
  ])('is told in the words of OpenSSL, without the places in its source: %s', (code, reason) => {
    expect(tlsRefusal(failure(code, `80EC42:error:0A00:SSL routines:f:${reason}:../deps/openssl.c:1:\n`, reason))).toBe(
      reason,
    );
  });

  it('is short', () => {
    expect(tlsRefusal(failure('CERT_REJECTED', ` ${'x'.repeat(500)}\n`))).toHaveLength(120);
  });

  it.each([
    undefined,
    null,
    'ERR_SSL_WRONG_VERSION_NUMBER',
    new Error('self-signed certificate'),
    failure('ECONNRESET', 'read ECONNRESET'),
    failure(5, 'CERT_HAS_EXPIRED'),
    failure('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'bad record mac'),
  ])('is nothing else: %s', (error) => {
    expect(tlsRefusal(error)).toBeUndefined();
  });
});
