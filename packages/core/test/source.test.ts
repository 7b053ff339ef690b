import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const source = new URL('../src/', import.meta.url);
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** The text without its comments, which may speak of anything. */
function codeOf(file: string): string {
  return readFileSync(new URL(file.replaceAll('\\', '/'), source), 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '');
}

describe('the source of core', () => {
  it('is read by these tests', () => {
    expect(files.length).toBeGreaterThan(25);
    expect(codeOf('time/system-clock.ts')).toContain('performance as machine');
    expect(codeOf('time/runtime.ts')).toContain('setTimeout(');
  });

  it('does not load what is for the tests of its users', () => {
    const using = files.filter((file) => !file.startsWith('testing') && codeOf(file).includes('testing/'));
    expect(using).toEqual([]);
  });

  it.each(
    files.filter(
      (file) => file !== 'time/system-clock.ts' && file !== 'time/runtime.ts' && !file.startsWith('testing'),
    ),
  )('takes time, timers and randomness from the runtime only: %s', (file) => {
    const outside =
      /\b(setTimeout|setInterval|setImmediate|Date\.now|performance|hrtime|uptime|randomBytes|randomUUID|getRandomValues|Math\.random)\b|new Date\(\)|node:timers|AbortSignal\.timeout/;
    expect(codeOf(file).match(outside)?.[0]).toBeUndefined();
  });
});
