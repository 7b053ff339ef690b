/** The subject name of the reference: see `push-crew.ts`. */
export const push = 'PUBLISH → message';
