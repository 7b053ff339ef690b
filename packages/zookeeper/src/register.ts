import { registerAdapter } from '@locks/core/adapter';
import { fromConfig } from './config.ts';
import { diagnose } from './diagnose.ts';

// For bundles: `openLocks` finds the adapter of this package there without looking for a module.
registerAdapter('zookeeper', { fromConfig, diagnose });
