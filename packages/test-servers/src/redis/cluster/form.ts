import type { ServerHandle } from '../../server/handle.ts';
import { eventually } from '../../support/eventually.ts';
import { redisCommand } from '../command.ts';
import { isOk, viewOf } from './topology.ts';
import type { NodeView } from './topology.ts';

const slotCount = 16_384;

/** A node that is not yet part of a cluster. */
export interface LooseNode {
  readonly handle: ServerHandle;
  readonly busPort: number;
}

/**
 * Creates a cluster of `nodes`: the first `masters` share the slots, the others are replicas of
 * them in turn. Resolves when all serve clients; `named` is called with their ids before.
 */
export async function formCluster(
  nodes: readonly LooseNode[],
  masters: number,
  named: (ids: readonly string[]) => void,
): Promise<void> {
  const handles = nodes.map(({ handle }) => handle);
  const ids = await Promise.all(handles.map(async (node) => String(await redisCommand(node, 'CLUSTER', 'MYID'))));
  named(ids);
  await Promise.all(
    handles.map(async (node, index) => {
      await redisCommand(node, 'CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
      if (index >= masters) return;
      const from = Math.ceil((index * slotCount) / masters);
      const to = Math.ceil(((index + 1) * slotCount) / masters);
      const slots = Array.from({ length: to - from }, (_, offset) => from + offset);
      await redisCommand(node, 'CLUSTER', 'ADDSLOTS', ...slots);
    }),
  );
  const [first, ...others] = handles;
  if (first === undefined) throw new Error('a Redis Cluster needs at least one master');
  for (const [index, { host, port }] of others.entries()) {
    await redisCommand(first, 'CLUSTER', 'MEET', host, port, nodes[index + 1]?.busPort ?? 0);
  }
  await knowEachOther(handles);
  await Promise.all(
    handles.slice(masters).map((node, index) => redisCommand(node, 'CLUSTER', 'REPLICATE', ids[index % masters] ?? '')),
  );
  await settled(handles);
}

/** Resolves when each of `nodes` knows just them, and that none fails. */
export async function knowEachOther(nodes: readonly ServerHandle[]): Promise<void> {
  await all('nodes that know each other', nodes, async (node) => {
    const view = await viewOf(node);
    return view.length === nodes.length && view.every(({ failing }) => !failing);
  });
}

/**
 * Resolves when each of `nodes` serves clients, all agree on their roles, and each replica has what
 * its master has.
 */
export async function settled(nodes: readonly ServerHandle[]): Promise<void> {
  await all('nodes that serve clients', nodes, isOk);
  await eventually('nodes that agree', async () => {
    const views = await Promise.all(nodes.map((node) => viewOf(node).catch(() => [])));
    const running = new Set(views.map((view) => view.find(({ self }) => self)?.id));
    const wellKnown = views.flat().every((node) => (node.failing ? !running.has(node.id) : hasRole(node)));
    return wellKnown && new Set(views.map(rolesIn)).size === 1;
  });
  await all('replicas that have a copy', nodes, async (node) => {
    const replication = String(await redisCommand(node, 'INFO', 'replication'));
    return replication.includes('role:master') || replication.includes('master_link_status:up');
  });
}

/** A demoted master has no slots for a moment, until it is a replica. */
function hasRole({ master, slots }: NodeView): boolean {
  return !master || slots.length > 0;
}

function rolesIn(view: readonly NodeView[]): string {
  const roles = view.map(({ id, masterId, slots }) => `${id} ${masterId} ${slots.join(' ')}`);
  return roles.toSorted().join('\n');
}

/** Waits until `holds` of each node. A node that does not answer is asked again. */
export async function all(
  what: string,
  nodes: readonly ServerHandle[],
  holds: (node: ServerHandle) => Promise<boolean>,
  limit?: number,
): Promise<void> {
  await Promise.all(nodes.map((node) => eventually(what, () => holds(node).catch(() => false), limit)));
}
