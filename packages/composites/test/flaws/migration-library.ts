export { migrate } from '../../src/migrate/migrate.ts';
export { createLocks } from '../../../core/src/manager.ts';
export { createMemoryProvider } from '../../../core/src/memory/provider.ts';
export { createMemoryStore } from '../../../core/src/memory/store.ts';
