/**
 * The part of an owner that names its process, and its call if that has a label. An owner of
 * another library is its own label.
 */
export function labelOf(owner: string): string {
  const end = owner.indexOf('/');
  return end > 0 ? owner.slice(0, end) : owner;
}
