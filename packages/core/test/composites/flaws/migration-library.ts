export { migrate } from '../../../src/composites/migrate/migrate.ts';
export { createLocks } from '../../../src/manager.ts';
export { createMemoryProvider } from '../../../src/memory/provider.ts';
export { createMemoryStore } from '../../../src/memory/store.ts';
