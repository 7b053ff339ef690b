import { registerAdapter } from '@locks/core/adapter';
import * as combine from './open/combine.ts';
import * as migrate from './open/migrate.ts';

// For bundles: `openLocks` finds the adapters of this package there without looking for a module.
registerAdapter('combine', combine);
registerAdapter('migrate', migrate);
