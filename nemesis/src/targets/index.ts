import type { Definition } from './definition.ts';
import { redis } from './redis.ts';

/** All that can be attacked, by the name that `--store` has. */
export const targets: Readonly<Record<string, Definition>> = { redis };
