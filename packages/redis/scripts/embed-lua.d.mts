export function embed(): string;
