import { ContenderWorld } from './contender.ts';
import type { Machine } from './contender.ts';
import type { Draft } from './draft.ts';
import { reaches, storeOf, wayOf } from './setting.ts';
import { meet, meetRelease } from './store.ts';
import type { Call, Contender, Return } from './world.ts';

/** A member meets a request. `copied`: it will meet it once more. */
export function meetCall(draft: Draft, contender: number, item: number, machine: Machine, copied: boolean): void {
  const call = draft.contender(contender).calls[item] as Call;
  const answer = meet(draft, storeOf(draft.setting, contender, call.member), contender, call);
  const { calls } = draft.contender(contender);
  draft.change(contender, { calls: call.orphan ? calls.toSpliced(item, 1) : calls.with(item, { ...call, answer }) });
  if (copied) {
    draft.spend('copies');
    keepOrphan(draft, contender, call);
  }
  if (isPrompt(draft, contender, item)) hear(draft, contender, item, machine);
}

/** Whether the answer reaches the claim at once. */
function isPrompt(draft: Draft, contender: number, item: number): boolean {
  const each = draft.contender(contender);
  const call = each.calls[item];
  if (call?.answer === undefined || wayOf(draft.setting, contender, call) !== 'prompt') return false;
  return isCurrent(each, call);
}

/** An answer reaches the process. */
export function hear(draft: Draft, contender: number, item: number, machine: Machine): void {
  const { member, answer, silent } = removeCall(draft, contender, item);
  if (!silent) draft.change(contender, { suspects: draft.contender(contender).suspects & ~(1 << member) });
  if (answer !== undefined) new ContenderWorld(draft, contender, machine).machine.answered(member, answer);
}

/** The member timeout of a call is over. */
export function silence(draft: Draft, contender: number, item: number, machine: Machine): void {
  const { calls, suspects } = draft.contender(contender);
  const call = calls[item] as Call;
  if (reaches(draft.setting, contender, call)) draft.spend('silences');
  draft.change(contender, {
    calls: calls.with(item, { ...call, silent: true }),
    suspects: suspects | (1 << call.member),
  });
  if (isCurrent(draft.contender(contender), call)) {
    new ContenderWorld(draft, contender, machine).machine.silent(call.member);
  }
}

/** A call is rejected, though its request may have arrived, or arrive later. */
export function reject(draft: Draft, contender: number, item: number, machine: Machine): void {
  const call = removeCall(draft, contender, item);
  if (reaches(draft.setting, contender, call)) {
    draft.spend('rejections');
    if (call.answer === undefined) keepOrphan(draft, contender, call);
  }
  if (isCurrent(draft.contender(contender), call)) {
    const failed = { kind: 'failed', error: undefined, leftNothing: false } as const;
    new ContenderWorld(draft, contender, machine).machine.answered(call.member, failed);
  } else settled(draft, contender, call);
}

/** A member meets a release. */
export function takeBack(draft: Draft, contender: number, item: number, machine: Machine): void {
  const one = draft.contender(contender).returns[item] as Return;
  const { member, number, awaited } = one;
  meetRelease(draft, storeOf(draft.setting, contender, member), { contender, number });
  const late = awaited && wayOf(draft.setting, contender, one) !== 'prompt';
  const { returns } = draft.contender(contender);
  draft.change(contender, {
    returns: late ? returns.with(item, { ...one, stage: 'answered' }) : returns.toSpliced(item, 1),
  });
  if (awaited && !late) new ContenderWorld(draft, contender, machine).machine.returned();
}

/** The answer to a release reaches the claim, or the member timeout is over. */
export function returned(draft: Draft, contender: number, item: number, machine: Machine): void {
  const { returns } = draft.contender(contender);
  const one = returns[item] as Return;
  const late = one.stage === 'sent' && reaches(draft.setting, contender, one);
  if (late) draft.spend('silences');
  draft.change(contender, {
    returns: late ? returns.with(item, { ...one, awaited: false }) : returns.toSpliced(item, 1),
  });
  new ContenderWorld(draft, contender, machine).machine.returned();
}

/** A request that may arrive later, and whose answer reaches no caller. */
function keepOrphan(draft: Draft, contender: number, call: Call): void {
  const { calls } = draft.contender(contender);
  draft.change(contender, { calls: [...calls, { ...call, answer: undefined, silent: false, orphan: true }] });
}

function removeCall(draft: Draft, contender: number, item: number): Call {
  const { calls } = draft.contender(contender);
  draft.change(contender, { calls: calls.toSpliced(item, 1) });
  return calls[item] as Call;
}

/** Whether the claim still knows the call's owner. */
function isCurrent(
  { machine }: Contender,
  { member, number }: { readonly member: number; readonly number: number },
): boolean {
  return machine.parts[member]?.number === number;
}

/** A call that the claim gave back is over: its release goes out. */
function settled(draft: Draft, contender: number, { member, number }: Call): void {
  const { returns } = draft.contender(contender);
  if (returns.length === 0) return;
  draft.change(contender, {
    returns: returns.map((one) =>
      one.stage === 'behind' && one.member === member && one.number === number ? { ...one, stage: 'sent' } : one,
    ),
  });
}

/** Drops messages that change nothing when they arrive. */
export function tidy(draft: Draft): void {
  for (let contender = 0; contender < draft.setting.contenders; contender += 1) {
    if (draft.isChanged(contender)) tidyContender(draft, contender);
  }
}

function tidyContender(draft: Draft, contender: number): void {
  const { setting } = draft;
  const each = draft.contender(contender);
  const isReached = (one: Call | Return): boolean => reaches(setting, contender, one);
  for (const call of each.calls) {
    const known = call.orphan
      ? isReached(call)
      : isCurrent(each, call) || (call.answer === undefined && isReached(call));
    if (known) continue;
    settled(draft, contender, call);
    draft.change(contender, { calls: draft.contender(contender).calls.filter((other) => other !== call) });
  }
  const { returns, wakes } = draft.contender(contender);
  if (setting.ways.length > 0) {
    draft.change(contender, { returns: returns.filter((one) => one.awaited || isReached(one)) });
  }
  if (wakes.some((wake) => !isCurrent(each, wake))) {
    draft.change(contender, { wakes: wakes.filter((wake) => isCurrent(each, wake)) });
  }
}
