import { connect, constants, createServer } from 'node:http2';
import type { ClientHttp2Session, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ServerAddress } from '@locks/test-servers';

/** A proxy before one etcd, which knows requests. */
export interface RequestProxy {
  readonly host: string;
  readonly port: number;
  /** Each request reaches etcd twice from now on, and one of the answers comes back. */
  duplicate(): () => void;
  /**
   * The next transaction with these texts waits, whatever becomes of its client. `held` resolves
   * when there is one. `deliver` lets it go on, and resolves when etcd has answered it.
   */
  holdBack(...texts: readonly string[]): { readonly held: Promise<void>; readonly deliver: () => Promise<void> };
  stop(): Promise<void>;
}

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Starts a proxy before `server`, without TLS. */
export async function startRequestProxy({ host, port }: ServerAddress): Promise<RequestProxy> {
  let doubled = false;
  let holdBack: ((headers: IncomingHttpHeaders, body: Buffer) => boolean) | undefined;
  let turn = 0;
  const sessions = new Set<{ destroy(): void }>();
  const server = createServer();
  server.on('session', (client) => {
    const upstream = connect(`http://${host}:${port}`);
    for (const session of [client, upstream]) {
      sessions.add(session);
      session.on('error', () => {});
    }
    upstream.once('close', () => client.destroy());
    client.once('close', () => upstream.destroy());
    client.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      // These are streams of many requests.
      if (/\/(?:Watch|LeaseKeepAlive)$/.test(String(headers[':path']))) pass(upstream, stream, headers);
      else void answer(upstream, stream, headers);
    });
  });

  async function answer(upstream: ClientHttp2Session, stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    const body = await collected(stream);
    if (String(headers[':path']).endsWith('/Txn') && holdBack?.(headers, body)) return;
    const answers = await Promise.all(
      Array.from({ length: doubled ? 2 : 1 }, () => ask(upstream, headers, body)),
    ).catch(() => undefined);
    const chosen = answers?.[turn++ % answers.length];
    if (chosen === undefined || stream.destroyed) stream.destroy();
    else send(stream, chosen);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    duplicate() {
      doubled = true;
      return () => (doubled = false);
    },
    holdBack(...texts) {
      let deliver = async (): Promise<void> => {};
      const held = new Promise<void>((resolve) => {
        holdBack = (headers, body) => {
          if (!texts.every((text) => body.includes(text))) return false;
          holdBack = undefined;
          deliver = async () => {
            const upstream = connect(`http://${host}:${port}`);
            await ask(upstream, headers, body);
            upstream.destroy();
          };
          resolve();
          return true;
        };
      });
      return { held, deliver: () => deliver() };
    },
    async stop() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pass(upstream: ClientHttp2Session, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const request = upstream.request(headers);
  request.on('error', () => stream.destroy());
  request.once('response', (answered) => {
    if (stream.destroyed) return;
    stream.respond(answered);
    request.pipe(stream);
  });
  stream.once('close', () => request.close(constants.NGHTTP2_CANCEL));
  stream.pipe(request);
}

async function collected(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function ask(upstream: ClientHttp2Session, headers: IncomingHttpHeaders, body: Buffer): Promise<Answer> {
  const request = upstream.request(headers);
  let answered: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders = {};
  request.once('response', (given) => (answered = given));
  request.once('trailers', (given: IncomingHttpHeaders) => (trailers = given));
  request.end(body);
  return { body: await collected(request), headers: answered, trailers };
}

function send(stream: ServerHttp2Stream, { headers, trailers, body }: Answer): void {
  // An error is told in the headers alone.
  if (headers['grpc-status'] !== undefined) {
    stream.respond(headers, { endStream: true });
    return;
  }
  stream.respond(headers, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(body);
}
