import type { Rewrite } from '@locks/conformance/faults';

type Below = (limit: number) => number;

/** In bytes: more than any reply that locks ask for. */
const endless = 2 * 1024 * 1024;
const bytes = (...hex: readonly string[]): readonly Buffer[] => hex.map((each) => Buffer.from(each, 'hex'));
/** Lengths that are 0, negative, or longer than the remainder. */
const lengths = bytes('00000000', 'ffffffff', '80000000', '7fffffff', '00ffffff', 'ffffff7f');
/** Bytes that are no UTF-8, and those that end or begin a text. */
const marks = bytes('c328', 'fffe', 'eda080', '00', '0d0a', '2d', '2b', '24', '2a', '3a');

/** The replacements of a reply, by name. `undefined`: nothing more on this connection. */
const changes = {
  cut: (piece, below) => piece.subarray(0, below(piece.length)),
  'begun late': (piece, below) => piece.subarray(below(piece.length)),
  shorter: (piece, below) => splice(piece, below(piece.length), 1 + below(8)),
  longer: (piece, below) => splice(piece, below(piece.length), 0, Buffer.alloc(1 + below(64), below(256))),
  'of another length': (piece, below) => overwrite(piece, below(piece.length), lengths[below(lengths.length)]),
  'of another length at its head': (piece, below) => overwrite(piece, below(6), lengths[below(lengths.length)]),
  'with another byte': (piece, below) => overwrite(piece, below(piece.length), Buffer.of(below(256))),
  'with other text': (piece, below) => overwrite(piece, below(piece.length), marks[below(marks.length)]),
  noise: (piece, below) => Buffer.from(Array.from({ length: 1 + below(piece.length + 8) }, () => below(256))),
  'without an end': (piece, below) =>
    Buffer.concat([piece, Buffer.alloc(endless, piece.subarray(below(piece.length)))]),
  twice: (piece) => Buffer.concat([piece, piece]),
  silence: (): undefined => undefined,
} as const satisfies Readonly<Record<string, (piece: Buffer, below: Below) => Buffer | undefined>>;

const names = [...(Object.keys(changes) as (keyof typeof changes)[]), 'after the next one'] as const;

/** The state of a connection. */
interface State {
  /** How many replies pass before the next change. */
  left: number;
  silent: boolean;
  kept: Buffer | undefined;
}

/**
 * For a proxy: changes some of the first replies of a real server on each connection, chosen by
 * `random` (from 0 up to 1), like a broken or hostile server. `told` is called with each change.
 */
export function hostileReplies(random: () => number, told: (change: string) => void = () => {}): Rewrite {
  const states = new WeakMap<object, State>();
  const below: Below = (limit) => Math.floor(random() * limit);
  return (piece, way, connection) => {
    if (way === 'requests') return piece;
    const state = states.get(connection) ?? { left: below(12), silent: false, kept: undefined };
    states.set(connection, state);
    if (state.silent) return Buffer.alloc(0);
    const { kept = Buffer.alloc(0) } = state;
    state.kept = undefined;
    if (state.left > 0) {
      state.left -= 1;
      return Buffer.concat([piece, kept]);
    }
    state.left = below(12);
    const name = names[below(names.length)] ?? 'silence';
    told(name);
    if (name === 'after the next one') {
      state.kept = piece;
      return kept;
    }
    const changed = changes[name](piece, below);
    state.silent = changed === undefined;
    return Buffer.concat([changed ?? Buffer.alloc(0), kept]);
  };
}

function splice(piece: Buffer, at: number, removed: number, added: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([piece.subarray(0, at), added, piece.subarray(at + removed)]);
}

function overwrite(piece: Buffer, at: number, others: Buffer = Buffer.alloc(0)): Buffer {
  return splice(piece, at, others.length, others);
}
