export { createUi } from './create-ui.ts';
export type { Ui } from './create-ui.ts';
export type { ShownLocks, UiOptions } from './options.ts';
