import { hostname } from 'node:os';
import type { OptionReader } from './option-reader.ts';
import { matching } from './option-readers.ts';
import type { Runtime } from '../time/runtime.ts';

/** How option `label` is checked. */
export const labelReader: OptionReader<string> = matching(
  /^[!-.0-~]{1,100}$/,
  '1 to 100 printable ASCII characters without spaces or "/"',
);

export const callLabelReader: OptionReader<string> = matching(
  /^[!-.0-~]{1,64}$/,
  '1 to 64 printable ASCII characters without spaces or "/"',
);

/**
 * Makes owners: `<label>/<unique>`. The unique part is one random id per maker, and a counter:
 * random bytes per lease would cost more than the rest of an acquire.
 */
export function createOwners(runtime: Runtime, label: string = defaultLabel()): (added?: string) => string {
  const unique = `/${runtime.uniqueId()}.`;
  const prefix = label + unique;
  let count = 0;
  return (added) => (added === undefined ? prefix : `${label}:${added}${unique}`) + (count++).toString(36);
}

/** The host and the process: `host:pid`. */
export function defaultLabel(): string {
  const host = hostname()
    .replaceAll(/[^!-.0-~]/g, '-')
    .slice(0, 80);
  return `${host}:${process.pid}`;
}
