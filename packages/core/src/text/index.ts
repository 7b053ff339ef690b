/** How keys, owners, times and errors are written for people, in a terminal or on a page. */
export { labelOf } from './label-of.ts';
export { messageOf } from './message-of.ts';
export { modeText } from './mode-text.ts';
export { naturally } from './natural-order.ts';
export { printable } from './printable.ts';
export { span } from './spans.ts';
