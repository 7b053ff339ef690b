import type { Stat } from '../wire/records.ts';

/** The data of a claim's node. */
export interface NodeData {
  readonly owner: string;
  /** The token is the base plus the transaction that wrote the node. */
  readonly base?: bigint | undefined;
  /** The token, if the lease was assigned one. */
  readonly token?: bigint | undefined;
}

/** Text that operators can read. */
export function writeNodeData({ owner, base, token }: NodeData): string {
  return JSON.stringify({ owner, base: base?.toString(), token: token?.toString() });
}

/** The base in the data of a claim's node. `undefined`: none. */
export function baseIn(text: string): bigint | undefined {
  return readNodeData(text)?.base;
}

/** Parses `text`. `undefined`: another library wrote it. */
export function readNodeData(text: string): NodeData | undefined {
  if (!text.startsWith('{"owner":')) return undefined;
  try {
    const { owner, base, token } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof owner !== 'string') return undefined;
    return { owner, base: number(base), token: number(token) };
  } catch {
    return undefined;
  }
}

/** The token of a claim that holds. `undefined`: its node does not contain it. */
export function tokenIn({ base, token }: NodeData, { mzxid }: Pick<Stat, 'mzxid'>): bigint | undefined {
  return token ?? (base === undefined ? undefined : base + mzxid);
}

function number(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : undefined;
}
