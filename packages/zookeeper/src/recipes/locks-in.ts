import type { Nodes } from '../nodes/nodes.ts';
import { refusal } from '../nodes/refusal.ts';
import type { Session } from '../session/session.ts';
import { getChildren } from '../wire/requests.ts';

/** A child of a folder, whose name may be that of a lock. */
interface Child {
  readonly name: string;
  /** If Curator or this package created it. */
  readonly uuid?: string;
}

/**
 * A folder with more children counts as one with locks. With more, a list reads longer answers over
 * the connection of the locks.
 */
const most = 1_000;
/** How many names of other libraries are checked. With more, folders of queues take longer. */
const looked = 10;

/**
 * The locks among `children`. Each library creates them as ephemeral nodes, so a persistent one
 * belongs to an application, whatever its name. Those with a `uuid` need no check.
 */
export async function locksIn<T extends Child>(
  nodes: Nodes,
  session: Session,
  folder: string,
  children: readonly T[],
): Promise<T[]> {
  const found = await Promise.all(
    children.map(async ({ name, uuid }) => {
      if (uuid !== undefined) return true;
      const stat = await nodes.exists(session, `${folder}/${name}`);
      return stat !== undefined && stat.ephemeralOwner !== 0n;
    }),
  );
  return children.filter((_, index) => found[index] === true);
}

/** Whether there is a lock in `folder`. `read` finds candidates among names of children. */
export async function hasLocks(
  nodes: Nodes,
  session: Session,
  folder: string,
  read: (names: readonly string[]) => readonly Child[],
): Promise<boolean> {
  const { numChildren = 0 } = (await nodes.exists(session, folder)) ?? {};
  if (numChildren === 0 || numChildren > most) return numChildren > 0;
  const answer = await session.send(getChildren(folder));
  // One that this user may not read is another's.
  if (!answer.ok && (answer.error === 'NO_NODE' || answer.error === 'NO_AUTH')) return false;
  if (!answer.ok) throw refusal(answer, folder);
  const children = read(answer.value.children);
  if (children.some(({ uuid }) => uuid !== undefined)) return true;
  return (await locksIn(nodes, session, folder, children.slice(0, looked))).length > 0;
}
