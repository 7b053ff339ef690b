import { registerAdapter } from '@locks/core/adapter';
import * as combine from './open/combine.ts';
import * as migrate from './open/migrate.ts';

// For bundles: registers the adapters, so that `openLocks` need not look for a module.
registerAdapter('combine', combine);
registerAdapter('migrate', migrate);
