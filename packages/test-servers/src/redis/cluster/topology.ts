import type { ServerAddress } from '../../server/address.ts';
import { redisCommand } from '../command.ts';

/** One node, as another node or itself sees it: a line of `CLUSTER NODES`. */
export interface NodeView {
  readonly id: string;
  /** It is the node that was asked. */
  readonly self: boolean;
  readonly master: boolean;
  /** Its failure is certain to a majority, or suspected by the node that was asked. */
  readonly failing: boolean;
  /** The id of its master; `undefined` of a master. */
  readonly masterId: string | undefined;
  /** First and last, both included. */
  readonly slots: readonly (readonly [number, number])[];
}

/** The nodes as `node` sees them. Rejects if it does not answer. */
export async function viewOf(node: ServerAddress): Promise<readonly NodeView[]> {
  const text = String(await redisCommand(node, 'CLUSTER', 'NODES'));
  return text.trim().split('\n').map(parseNode);
}

function parseNode(line: string): NodeView {
  const [id = '', , flagText = '', masterId = '-', , , , , ...rest] = line.split(' ');
  const flags = flagText.split(',');
  return {
    id,
    self: flags.includes('myself'),
    master: flags.includes('master'),
    failing: flags.some((flag) => flag.startsWith('fail') || flag === 'handshake' || flag === 'noaddr'),
    masterId: masterId === '-' ? undefined : masterId,
    // A slot that is being moved is in brackets.
    slots: rest
      .filter((part) => !part.startsWith('['))
      .map((part) => {
        const [first = '', last = first] = part.split('-');
        return [Number(first), Number(last)];
      }),
  };
}

/** Whether `node` has all slots covered, as far as it knows. */
export async function isOk(node: ServerAddress): Promise<boolean> {
  return String(await redisCommand(node, 'CLUSTER', 'INFO')).includes('cluster_state:ok');
}

/** The master that serves `slot` in `view`. */
export function ownerOf(slot: number, view: readonly NodeView[]): NodeView | undefined {
  return view.find(({ slots }) => slots.some(([first, last]) => first <= slot && slot <= last));
}
