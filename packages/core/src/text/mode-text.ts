/** How a key is held or wanted, for a reader: `exclusive`, `shared`, `shared of 5`. */
export function modeText({ mode, permits }: { readonly mode: string; readonly permits?: number | undefined }): string {
  return permits === undefined ? mode : `${mode} of ${permits}`;
}
