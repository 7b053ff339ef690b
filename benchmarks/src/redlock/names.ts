/** The published protocol and nothing else. */
export const rawName = 'raw protocol';
/** This library, with and without tokens. */
export const unfencedName = '@locks, no fencing';
