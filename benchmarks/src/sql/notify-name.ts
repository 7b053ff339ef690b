/** The subject name of the reference: see `notify-crew.ts`. */
export const notification = 'NOTIFY → notification';
