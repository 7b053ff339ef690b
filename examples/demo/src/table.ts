import type { Findings, LockFindings } from './findings.ts';
import type { Colour, Screen } from './screen.ts';

interface Cell {
  readonly text: string;
  readonly colour?: Colour;
}

/** Rows of figures, one column for each run. */
export function formatTable(heads: readonly string[], runs: readonly Findings[], paint: Screen['paint']): string {
  const row = (name: string, cell: (findings: Findings) => Cell): [string, Cell[]] => [name, runs.map(cell)];
  const lockRow = (name: string, cell: (lock: LockFindings) => Cell): [string, Cell[]] =>
    row(name, ({ lock }) => (lock === undefined ? { text: '-' } : cell(lock)));

  const rows = [
    ['', heads.map((text): Cell => ({ text, colour: 'bold' }))] satisfies [string, Cell[]],
    row('updates made', ({ made }) => ({ text: `${made}` })),
    row('balance expected', ({ made }) => ({ text: `${made}` })),
    row('balance in the end', ({ actual }) => ({ text: `${actual}` })),
    row('updates lost', ({ lost }) => good(lost === 0, `${lost}`)),
    row('most workers at it at once', ({ inside }) => ({ text: `${inside}` })),
    row('total time', ({ took }) => ({ text: seconds(took) })),
    lockRow('wait for the lock, p50', ({ waits }) => ({ text: milliseconds(waits.p50) })),
    lockRow('wait for the lock, p99', ({ waits }) => ({ text: milliseconds(waits.p99) })),
    lockRow('wait for the lock, max', ({ waits }) => ({ text: milliseconds(waits.max) })),
    lockRow('first fencing token', ({ firstToken }) => ({ text: `${firstToken}` })),
    lockRow('last fencing token', ({ lastToken }) => ({ text: `${lastToken}` })),
    lockRow('tokens strictly increase', ({ tokensIncrease }) => good(tokensIncrease, tokensIncrease ? 'yes' : 'NO')),
    lockRow('served out of turn', ({ outOfTurn }) => ({ text: `${outOfTurn}` })),
  ];

  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const widths = heads.map((_, column) => Math.max(...rows.map(([, cells]) => cells[column]?.text.length ?? 0)));
  return rows
    .map(([name, cells]) => {
      const padded = cells.map(({ text, colour }, column) => {
        const aligned = text.padStart(widths[column] ?? 0);
        return colour === undefined ? aligned : paint(colour, aligned);
      });
      return `  ${[name.padEnd(nameWidth), ...padded].join('   ')}`;
    })
    .join('\n');
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

function good(isGood: boolean, text: string): Cell {
  return { text, colour: isGood ? 'green' : 'red' };
}
