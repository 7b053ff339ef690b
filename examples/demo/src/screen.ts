import { styleText } from 'node:util';
import type { WriteStream } from 'node:tty';

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** How far a run is. */
export interface Progress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  readonly balance: number;
}

/** Where the demo writes: a terminal with a line that is redrawn, or a pipe or file with plain lines. */
export interface Screen {
  say(line: string): void;
  progress(progress: Progress): void;
  paint(colour: Colour, text: string): string;
}

const frame = 40;
const barWidth = 24;

export function createScreen(stream: WriteStream, environment: NodeJS.ProcessEnv): Screen {
  const live = stream.isTTY && environment['TERM'] !== 'dumb';
  // `hasColors` knows NO_COLOR, FORCE_COLOR and what terminals can do.
  const coloured = live && stream.hasColors();
  // Whoever reads the output may leave early (`| head -1`); the demo still ends properly.
  stream.on('error', () => {});

  const paint = (colour: Colour, text: string): string => (coloured ? styleText(colour, text) : text);
  return { ...(live ? liveLines(stream, paint) : plainLines(stream)), paint };
}

function plainLines(stream: WriteStream): Omit<Screen, 'paint'> {
  return {
    say: (line) => void stream.write(`${line}\n`),
    progress({ label, done, total, balance }) {
      const quarter = (updates: number): number => Math.floor((updates * 4) / total);
      if (quarter(done) === quarter(done - 1)) return;
      stream.write(`${label}  ${counted(done, total)}   balance ${balance}\n`);
    },
  };
}

function liveLines(stream: WriteStream, paint: Screen['paint']): Omit<Screen, 'paint'> {
  const wipe = '\r\u001B[2K';
  let drawn = '';
  let drawnAt = -Infinity;
  return {
    say(line) {
      stream.write(`${wipe}${line}\n${drawn}`);
    },
    progress({ label, done, total, balance }) {
      const complete = done === total;
      if (!complete && performance.now() - drawnAt < frame) return;
      drawnAt = performance.now();
      const full = Math.round((done / total) * barWidth);
      const bar = paint('green', '█'.repeat(full)) + paint('dim', '░'.repeat(barWidth - full));
      const text = `${counted(done, total)}   balance ${balance}`;
      // A line that wraps cannot be wiped.
      const fits = stream.columns > label.length + barWidth + text.length + 4;
      drawn = complete ? '' : `${label}  ${fits ? `${bar}  ` : ''}${text}`;
      stream.write(complete ? `${wipe}${label}  ${fits ? `${bar}  ` : ''}${text}\n` : `${wipe}${drawn}`);
    },
  };
}

function counted(done: number, total: number): string {
  return `${done} of ${total} updates`.padStart('100 of 100 updates'.length);
}
