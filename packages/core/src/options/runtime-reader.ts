import type { Runtime } from '../time/runtime.ts';
import type { OptionReader } from './option-reader.ts';
import { withMethods } from './option-readers.ts';

/** How option `runtime` is checked. */
export const runtimeReader: OptionReader<Runtime> = withMethods<Runtime>(
  'a Runtime',
  'setTimer',
  'clearTimer',
  'keepAlive',
  'random',
  'uniqueId',
);
