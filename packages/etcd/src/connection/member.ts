import { createSecureContext } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { outsideContext, printHost } from '@locks/core/adapter';
import type { Host } from '@locks/core/adapter';
import { Client, Metadata, credentials } from '@grpc/grpc-js';
import type { ChannelCredentials, ClientDuplexStream } from '@grpc/grpc-js';
import type { Method } from '../wire/calls.ts';

/** An answer, and how to cancel it. */
export interface Call<T> {
  readonly answer: Promise<T>;
  cancel(): void;
}

/** A stream of requests and answers. */
export type Stream<Request, Response> = Pick<ClientDuplexStream<Request, Response>, 'on' | 'write' | 'end' | 'cancel'>;

/** One connection to a member of the cluster. */
export interface Member {
  /** Its address, for messages. */
  readonly name: string;
  /** Aborted when the connection is closed. */
  readonly over: AbortSignal;
  /** Sends one request. `token`: that of the logged-in user. */
  send<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    token: string | undefined,
  ): Call<Response>;
  /** Opens a stream. A member without a leader ends it. */
  open<Request, Response>(method: Method<Request, Response>, token: string | undefined): Stream<Request, Response>;
  /** Closes the connection. Its streams end. */
  close(): void;
}

const channelOptions = {
  // Proxies of the environment are for web pages.
  'grpc.enable_http_proxy': 0,
  // A DNS record must not change how calls are made.
  'grpc.service_config_disable_resolution': 1,
  // A shared connection may be one that another provider has closed.
  'grpc.use_local_subchannel_pool': 1,
  // A queue of 2 000 claims with long keys is longer than the default of 4 MB.
  'grpc.max_receive_message_length': -1,
};

/** Connects to `host` at the first call. `tls`: options of `tls.connect`. */
export function connectTo(host: Host, tls: ConnectionOptions | undefined): Member {
  const over = new AbortController();
  const names = tls?.servername === undefined ? {} : { 'grpc.ssl_target_name_override': tls.servername };
  const client = outsideContext(
    () => new Client(targetOf(host), channelCredentials(tls), { ...channelOptions, ...names }),
  );

  return {
    name: printHost(host),
    over: over.signal,
    send(method, request, token) {
      let cancel = (): void => {};
      const answer = new Promise<ReturnType<typeof method.deserialize>>((resolve, reject) => {
        const call = client.makeUnaryRequest(
          method.path,
          method.serialize,
          method.deserialize,
          request,
          metadataOf(token),
          (error, response) => (response === undefined ? reject(error ?? new Error('no answer')) : resolve(response)),
        );
        cancel = () => call.cancel();
      });
      return { answer, cancel };
    },
    open(method, token) {
      const metadata = metadataOf(token);
      metadata.set('hasleader', 'true');
      const stream = client.makeBidiStreamRequest(method.path, method.serialize, method.deserialize, metadata);
      const cancel = (): void => stream.cancel();
      over.signal.addEventListener('abort', cancel);
      stream.once('status', () => over.signal.removeEventListener('abort', cancel));
      return stream;
    },
    close() {
      over.abort();
      client.close();
    },
  };
}

function metadataOf(token: string | undefined): Metadata {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('token', token);
  return metadata;
}

function targetOf({ host, port }: Host): string {
  if (host.includes(':')) return `ipv6:[${host}]:${port}`;
  return `${/^[\d.]+$/.test(host) ? 'ipv4:' : 'dns:///'}${host}:${port}`;
}

function channelCredentials(tls: ConnectionOptions | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure();
  const { rejectUnauthorized = true, checkServerIdentity } = tls;
  return credentials.createFromSecureContext(createSecureContext(tls), {
    rejectUnauthorized,
    ...(checkServerIdentity && { checkServerIdentity }),
  });
}
