import type { Traits } from '@locks/core';
import type { Turn } from './script.ts';

/** Whether a store with such traits supports a turn. `jobs`: whether it keeps records of jobs. */
export function canDo({ shared, expiry }: Pick<Traits, 'shared' | 'expiry'>, turn: Turn, jobs: boolean): boolean {
  const { how, mode, next, lockDelay = 0, atLeast = 0 } = turn;
  if (!shared && (mode === 'shared' || next === 'downgrade')) return false;
  if (expiry === 'session' && (next === 'transfer' || lockDelay > 0 || atLeast > 0)) return false;
  return jobs || how !== 'once';
}
