/** Whether the check of a requirement with these needs hurts the backend, or the way to it. */
export function needsFault({ needs = [] }) {
    return needs.some((need) => need !== 'processes' && need !== 'createOther');
}
//# sourceMappingURL=faults.js.map