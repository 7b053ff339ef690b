export { settle } from '../../src/testing/timeline.ts';
export { VirtualRuntime } from '../../src/testing/virtual-runtime.ts';
