import type { RegisterChange } from '../../contract.ts';
import { checkRegister } from '../../options/register.ts';
import type { Runtime } from '../../time/runtime.ts';
import { fromRegisterText, toRegisterText } from './record-text.ts';
import type { StoreCalls } from './store-calls.ts';

/** Keeps registers apart from lock keys. */
const prefix = 'register:';

/** The contract's `register`, over the two functions of a store. Rejects after `timeout` ms. */
export async function changeRegister(
  calls: StoreCalls,
  { clock }: Runtime,
  timeout: number,
  name: string,
  change: RegisterChange | undefined,
): Promise<string | undefined> {
  checkRegister(name, change);
  const end = clock.now() + timeout;
  for (;;) {
    const { version, text } = await calls.bounded('read', calls.read(prefix + name));
    const found = fromRegisterText(name, text);
    if (change === undefined || found !== change.from || change.from === change.to) return found;
    const next = { version: calls.nextVersion(), record: toRegisterText(change.to) };
    const replaced = await calls.bounded('replace', calls.replace(prefix + name, version, next));
    if (replaced !== undefined) return change.to;
    // `found` was the text of this register at a moment of the call.
    if (clock.now() >= end) return found;
  }
}
