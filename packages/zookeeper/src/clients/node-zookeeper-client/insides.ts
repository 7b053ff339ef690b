import type { NewNode } from '../../wire/call.ts';
import type { Socket } from 'node:net';
import { Writer } from '../../wire/writer.ts';
import { create } from '../../wire/requests.ts';
import type { ClientCallback, NodeZookeeperClient } from './client.ts';

/**
 * The private members of `node-zookeeper-client` 1.1.3 that are used: see docs/adr/0019. A test
 * compares the version.
 */
export interface Insides {
  readonly socket?: Socket;
  readonly chrootPath?: string;
  readonly servers: readonly { readonly host: string; readonly port: number | string }[];
  /** 0 before `connect`. */
  readonly state: number;
  /** The number of the next request: an int32 that the client never resets. */
  xid: number;
  /** The beginning of an incomplete frame. */
  pendingBuffer: Buffer | null;
  queue(request: OwnRequest, callback: ClientCallback<[]>): void;
  /** The client calls it again whenever its socket has ended. */
  connect: () => void;
  onSocketConnected: () => void;
  onSocketData: (bytes: Buffer) => void;
}

/** A request that the client numbers, sends and awaits, but does not write. */
interface OwnRequest {
  /** The client reads the answer by the type, and sets the number. */
  readonly header: { readonly type: number; xid?: number };
  readonly payload: null;
  toBuffer(): Buffer;
}

/** Receives the events of the client's sockets. */
export interface SocketListener {
  /** The client wants to create a socket, now or when `connect` is called. */
  connecting(connect: () => void): void;
  /** A connect request is about to be written. `false`: the socket must be closed instead. */
  connected(): boolean;
  /** Bytes have arrived, and are not read yet. */
  heard(): void;
  /** The client has thrown while reading an answer. */
  failed(error: Error): void;
}

/** With more, the client cannot write the number of a request. */
const lastXid = 2 ** 30;

/** The listeners of one client, and how to remove them. */
interface Hook {
  readonly listeners: Set<SocketListener>;
  /** `false`: another library has wrapped the methods since, so they stay, and only forward. */
  remove(): boolean;
}

/** By client: several providers may use one. */
const hooks = new WeakMap<Insides, Hook>();

/**
 * Listens to the client's present socket, if any, and to all later ones. Returns a function that
 * ends it.
 */
export function listenToSockets(client: NodeZookeeperClient, listener: SocketListener): () => void {
  const insides = insidesOf(client);
  const hook = hooks.get(insides) ?? hookInto(insides);
  hooks.set(insides, hook);
  hook.listeners.add(listener);
  return () => {
    hook.listeners.delete(listener);
    if (hook.listeners.size === 0 && hook.remove()) hooks.delete(insides);
  };
}

function hookInto(insides: Insides): Hook {
  const listeners = new Set<SocketListener>();
  const { onSocketData: read, onSocketConnected: begin, connect: dial } = insides;
  const connect = function (this: Insides): void {
    let next = (): void => dial.call(this);
    for (const listener of listeners) {
      const later = next;
      next = () => listener.connecting(later);
    }
    next();
  };
  const onSocketData = function (this: Insides, bytes: Buffer): void {
    for (const listener of listeners) listener.heard();
    // Replies come in the order of the requests, so numbers may be reused.
    if (this.xid > lastXid) this.xid = 0;
    try {
      read.call(this, bytes);
    } catch (error) {
      if (listeners.size === 0) throw error;
      // For example an unknown error code. Thrown here, it would end the process.
      for (const listener of listeners) listener.failed(error as Error);
    }
  };
  const onSocketConnected = function (this: Insides): void {
    // Bytes of the last connection would be read as the beginning of the first answer.
    this.pendingBuffer = null;
    const answers = [...listeners].map((listener) => listener.connected());
    if (answers.every(Boolean)) begin.call(this);
    else this.socket?.destroy();
  };
  const methods = { connect, onSocketData, onSocketConnected };
  const names = Object.keys(methods) as (keyof typeof methods)[];
  // The client's own, or absent if the methods of its class show.
  const before = names.map((name) => Object.getOwnPropertyDescriptor(insides, name));
  Object.assign(insides, methods);
  return {
    listeners,
    remove() {
      if (names.some((name) => insides[name] !== methods[name])) return false;
      for (const [index, name] of names.entries()) {
        const descriptor = before[index];
        if (descriptor === undefined) Reflect.deleteProperty(insides, name);
        else Object.defineProperty(insides, name, descriptor);
      }
      return true;
    },
  };
}

/**
 * Creates a container, for which the client has no call. Its answer begins like that of a "create".
 */
export function makeContainer(client: NodeZookeeperClient, node: NewNode, callback: ClientCallback<[]>): void {
  makeWhole(insidesOf(client), { ...node, path: `${chrootOf(client)}${node.path}` }, callback);
}

/** Creates the nodes of the client's chroot, each with the data and ACL of `node`. */
export function makeChroot(client: NodeZookeeperClient, node: NewNode, callback: ClientCallback<[]>): void {
  const names = chrootOf(client).split('/');
  for (const end of names.keys()) {
    // The requests of a session are executed in order, so the last answer suffices.
    const last = end === names.length - 1;
    if (end > 0)
      makeWhole(insidesOf(client), { ...node, path: names.slice(0, end + 1).join('/') }, last ? callback : () => {});
  }
}

/** '': none. */
export function chrootOf(client: NodeZookeeperClient): string {
  return insidesOf(client).chrootPath ?? '';
}

/** Creates a node whose path includes the chroot. */
function makeWhole(insides: Insides, node: NewNode, callback: ClientCallback<[]>): void {
  const { op, write } = create(node);
  const header: OwnRequest['header'] = { type: 1 };
  const toBuffer = (): Buffer => {
    const writer = new Writer();
    const frame = writer.beginFrame();
    writer.int(header.xid ?? 0);
    writer.int(op);
    write(writer);
    writer.endFrame(frame);
    return writer.take();
  };
  insides.queue({ header, payload: null, toBuffer }, callback);
}

export function insidesOf(client: NodeZookeeperClient): Insides {
  return (client as unknown as { readonly connectionManager: Insides }).connectionManager;
}
