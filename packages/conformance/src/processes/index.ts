export { startChild } from './child.ts';
export type { Child, ChildOptions } from './child.ts';
export { serveParent } from './serve-parent.ts';
