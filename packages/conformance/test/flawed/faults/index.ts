import { connections } from './connections.ts';
import type { FaultFlaw } from './flaw.ts';
import { registerFaults } from './registers.ts';
import { stores } from './stores.ts';
import { unknowns } from './unknown.ts';

/** Providers that look right until something happens to their connection or their store. */
export const faultFlaws: readonly FaultFlaw[] = [unknowns, connections, registerFaults, stores].flat();
