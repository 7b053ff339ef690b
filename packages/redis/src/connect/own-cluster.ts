import { EventEmitter } from 'node:events';
import { createDeadline, settledWithin } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { commandsOf } from '../clients/node-redis/commands.ts';
import type { RedisHost } from '../options/hosts.ts';
import { keySlot } from '../wire/key-slot.ts';
import type { OwnClusterClient } from './own-client.ts';
import type { OwnNodeRedis } from './own-node-redis.ts';
import { readSlots } from './slots.ts';

/** A node of a Cluster that this package connects to itself. */
export interface OwnNode extends OwnNodeRedis {
  readonly options: { readonly keyPrefix?: string | undefined; readonly host: string; readonly port: number };
}

/** What the client is made of. */
export interface OwnClusterParts {
  /** Nodes to begin with. */
  readonly seeds: readonly RedisHost[];
  readonly runtime: Runtime;
  /** A node that is silent for so long is passed over, in ms. */
  readonly patience: number;
  /** Makes a client that keeps a connection to this node, and has not connected yet. */
  create(host: RedisHost): OwnNode;
}

/** A call is sent on to another node so many times. */
const redirections = 6;
/** The table of slots is read again after so many ms at the earliest. */
const pause = 100;

/**
 * A client of a Cluster, of this package's own, with a client of node-redis for each connection.
 * That library's own client of a Cluster waits for nodes that are down, also at its start, and ends
 * for good where a node has left the Cluster: see ADR 63.
 */
export function ownCluster(parts: OwnClusterParts): OwnClusterClient {
  const { seeds, runtime, patience, create } = parts;
  const events = new EventEmitter();
  const nodes = new Map<string, OwnNode>();
  const deadline = createDeadline(runtime, patience, 'A node of the Cluster');
  let slots: readonly (readonly string[])[] = [];
  let opened = false;
  let closed = false;
  let reading: Promise<void> | undefined;
  let readAt = -Infinity;

  function nodeAt(host: RedisHost): OwnNode {
    const name = nameOf(host);
    let node = nodes.get(name);
    if (node === undefined) {
      node = create(host);
      nodes.set(name, node);
      node.on('error', (error) => {
        events.emit('node error', error);
        refresh();
      });
      node.on('ready', () => events.emit('node ready'));
      if (!closed) void node.keepConnected();
    }
    return node;
  }

  /** Reads the table of slots soon: a master may have been followed. */
  function refresh(): void {
    if (closed || !opened || reading !== undefined || runtime.clock.now() - readAt < pause) return;
    readTable().catch(() => {});
  }

  function readTable(): Promise<void> {
    reading ??= readFromAny().finally(() => {
      readAt = runtime.clock.now();
      reading = undefined;
    });
    return reading;
  }

  async function readFromAny(): Promise<void> {
    let failure: unknown = notReady();
    const asked = new Set([...nodes].flatMap(([name, { status }]) => (status === 'ready' ? [name] : [])));
    for (const seed of seeds) asked.add(nameOf(seed));
    for (const name of asked) {
      const node = nodeAt(hostOf(name));
      if (node.status !== 'ready') await settledWithin(runtime, patience, node.keepConnected());
      try {
        const reply = await deadline.race(node.command('CLUSTER', 'SLOTS'), 'the table of slots');
        const table = readSlots(reply, node.options.host);
        // A node that has left the Cluster knows of no slots.
        if (table.length === 0) throw notReady();
        adopt(table);
        return;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  function adopt(table: readonly (readonly string[])[]): void {
    slots = table;
    const masters = new Set(table.map((entry) => entry?.[0]));
    for (const name of masters) if (name !== undefined) nodeAt(hostOf(name));
    for (const [name, node] of nodes) {
      if (masters.has(name)) continue;
      nodes.delete(name);
      node.disconnect();
    }
  }

  /** Sends a command where its key is, and on where that node says. */
  async function send(...args: readonly (string | number)[]): Promise<unknown> {
    const [, , , key] = args;
    const [name] = slots[keySlot(String(key))] ?? [];
    let node = name === undefined ? undefined : nodes.get(name);
    if (node === undefined) {
      refresh();
      throw notReady();
    }
    let asking = false;
    for (let hops = 0; ; hops += 1) {
      try {
        // Both are in the queue of one connection, with nothing between them.
        if (asking) node.command('ASKING').catch(() => {});
        return await node.command(...args);
      } catch (error) {
        const [, kind, next] = redirection.exec(error instanceof Error ? error.message : '') ?? [];
        if (kind !== 'ASK') refresh();
        if (next === undefined || hops >= redirections || closed) throw error;
        asking = kind === 'ASK';
        node = nodeAt(hostOf(next.startsWith(':') ? `${node.options.host}${next}` : next));
        if (node.status !== 'ready') await settledWithin(runtime, patience, node.keepConnected());
      }
    }
  }

  const { evalsha, eval: evaluate } = commandsOf(send);
  const ready = (): readonly OwnNode[] => [...nodes.values()].filter(({ status }) => status === 'ready');
  return {
    isCluster: true,
    evalsha,
    eval: evaluate,
    async ping() {
      await Promise.any([...nodes.values()].map((node) => node.ping()));
    },
    get slots() {
      return slots;
    },
    nodes: () => [...nodes.values()],
    get status() {
      if (closed) return 'end';
      return ready().length > 0 && slots.length > 0 ? 'ready' : 'connecting';
    },
    async connect() {
      const seeded = seeds.map(nodeAt);
      await Promise.any(seeded.map(connected)).catch(() => {});
      while (!closed && slots.length === 0) {
        try {
          await readTable();
        } catch (error) {
          if (seeded.every(({ status }) => status !== 'ready')) throw error;
          // It may still be forming.
          await new Promise<void>((resolve) => runtime.setTimer(resolve, pause, true));
        }
      }
      await settledWithin(runtime, patience, Promise.all([...nodes.values()].map((node) => node.keepConnected())));
      if (closed) throw new Error('The client is closed');
      opened = true;
      events.emit('ready');
    },
    disconnect() {
      closed = true;
      deadline.stop();
      for (const node of nodes.values()) node.disconnect();
    },
    on: (event, listener) => events.on(event, listener),
    once: (event, listener) => events.once(event, listener),
    off: (event, listener) => events.off(event, listener),
  };
}

async function connected(node: OwnNode): Promise<void> {
  await node.keepConnected();
  if (node.status !== 'ready') throw notReady();
}

const redirection = /^(MOVED|ASK) \d+ (\S*:\d+)/;

function nameOf({ host, port }: RedisHost): string {
  return `${host}:${port}`;
}

function hostOf(name: string): RedisHost {
  const colon = name.lastIndexOf(':');
  return { host: name.slice(0, colon), port: Number(name.slice(colon + 1)) };
}

function notReady(): Error {
  return new Error("Cluster isn't ready");
}
