import { registerAdapter } from '@locks/core/adapter';
import { fromConfig } from './config.ts';
import { diagnose } from './diagnose.ts';

// For bundles: registers the adapter, so that `openLocks` need not look for a module.
registerAdapter('etcd', { fromConfig, diagnose });
