import { eventually } from '../../support/eventually.ts';
import type { ServerHandle } from '../../server/handle.ts';
import { redisCommand } from '../command.ts';
import { all, knowEachOther, settled } from './form.ts';
import type { LooseNode } from './form.ts';
import { viewOf } from './topology.ts';
import type { NodeView } from './topology.ts';

/** In ms: a replica that was not elected asks again after seconds. */
const elections = 30_000;

/**
 * Replaces a node, whose id was `old`, by an empty one with its address; all others run. If it was
 * a master, its replica follows it first. Resolves when the new one is a replica with a copy;
 * `named` is called with its id before.
 */
export async function replaceNode(
  nodes: readonly LooseNode[],
  index: number,
  old: string,
  named: (id: string) => void,
): Promise<void> {
  const handles = nodes.map(({ handle }) => handle);
  const others = handles.toSpliced(index, 1);
  const { handle, busPort } = nodes[index] as LooseNode;
  await handle.kill();
  const missed = async (node: ServerHandle): Promise<boolean> => {
    const seen = (await viewOf(node)).find(({ id }) => id === old);
    return seen?.failing === true && seen.slots.length === 0;
  };
  await all('nodes that miss it, and have its slots', others, missed, elections);
  await Promise.all(others.map((node) => redisCommand(node, 'CLUSTER', 'FORGET', old)));
  await handle.restart({ keepData: false });
  const id = String(await redisCommand(handle, 'CLUSTER', 'MYID'));
  named(id);
  await Promise.all(others.map((node) => redisCommand(node, 'CLUSTER', 'MEET', handle.host, handle.port, busPort)));
  await knowEachOther(handles);
  const master = await eventually('the master with the fewest replicas', async () => {
    const view = (await viewOf(handle)).filter(({ self }) => !self);
    // It learns of the roles of others one by one.
    if (view.some(({ slots, masterId }) => slots.length === 0 && masterId === undefined)) return undefined;
    const replicasOf = (one: NodeView): number => view.filter(({ masterId }) => masterId === one.id).length;
    return view.filter(({ slots }) => slots.length > 0).toSorted((a, b) => replicasOf(a) - replicasOf(b))[0];
  });
  await redisCommand(handle, 'CLUSTER', 'REPLICATE', master.id);
  await settled(handles);
}
