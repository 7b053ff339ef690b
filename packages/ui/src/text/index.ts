/** How keys, times and errors are written for people: shared with the command line. */
export { messageOf } from './message-of.ts';
export { naturally } from './natural-order.ts';
export { printable } from './printable.ts';
export { span } from './spans.ts';
