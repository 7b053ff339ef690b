/** The published protocol and nothing else. */
export const rawName = 'raw protocol';
/** What this repository measures of itself, with and without tokens. */
export const unfencedName = '@locks, no fencing';
