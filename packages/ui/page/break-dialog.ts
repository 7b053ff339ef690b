import type { HolderView, KeyView } from '../src/views.ts';
import { byId, setText } from './dom.ts';

/** Why the server refused a request. */
export async function problemOf(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { readonly error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // The answer comes from a proxy, or from a sign-in page.
  }
  return `The server answered ${response.status}. Reload the page, and sign in again if you are asked to.`;
}

/** Asks for confirmation before a lease is ended. Calls `done` with the result. */
export function createBreakDialog(done: (message: string) => void): (key: KeyView, holder: HolderView) => void {
  const dialog = byId('break', HTMLDialogElement);
  const form = byId('break-form', HTMLFormElement);
  const confirm = byId('break-confirm', HTMLInputElement);
  const submit = byId('break-submit', HTMLButtonElement);
  const problem = byId('break-problem', HTMLElement);
  let asked: { readonly key: KeyView; readonly holder: HolderView } | undefined;

  async function breakLease({ key, holder }: NonNullable<typeof asked>): Promise<void> {
    const { owner, mode, text } = holder;
    const query = new URLSearchParams({ key: key.key, owner, mode, confirm: confirm.value });
    const response = await fetch(`break?${query}`, { method: 'POST', headers: { 'x-locks-ui': '1' } });
    if (!response.ok) throw new Error(await problemOf(response));
    const { freed } = (await response.json()) as { readonly freed: boolean };
    dialog.close();
    done(freed ? `Ended the lease of ${text} on ${key.text}.` : `The lease of ${text} had ended already.`);
  }

  const check = (): void => {
    submit.disabled = confirm.value !== asked?.key.text;
  };
  confirm.addEventListener('input', check);
  byId('break-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (asked === undefined || submit.disabled) return;
    submit.disabled = true;
    breakLease(asked).catch((error: unknown) => {
      setText(problem, error instanceof Error ? error.message : String(error));
      problem.hidden = false;
      check();
    });
  });
  return (key, holder) => {
    asked = { key, holder };
    setText(byId('break-owner', HTMLElement), holder.text);
    setText(byId('break-key', HTMLElement), key.text);
    confirm.value = '';
    problem.hidden = true;
    check();
    dialog.showModal();
    confirm.focus();
  };
}
