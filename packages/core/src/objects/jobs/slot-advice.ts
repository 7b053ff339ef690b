import { durationText, parseDuration } from '../../options/duration.ts';

/** How errors describe a slot. */
export const dateAdvice = 'Pass the scheduled time as a Date';
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Named schedules in cron syntax. */
const named: Readonly<Record<string, string>> = {
  minutely: '* * * * *',
  hourly: '0 * * * *',
  daily: '0 0 * * *',
  midnight: '0 0 * * *',
  nightly: '0 3 * * *',
  weekly: '0 0 * * 0',
  monthly: '0 0 1 * *',
  yearly: '0 0 1 1 *',
  annually: '0 0 1 1 *',
};

/** Five fields, or six with seconds. */
const schedule = /^[\d*?][\d*?,/-]*(?:\s+[\w*?,/#-]+){4,5}$/;

/** What to write instead of `slot`. */
export function adviceFor(slot: unknown): string {
  const text = typeof slot === 'string' ? slot.trim() : '';
  const cron = named[text.toLowerCase().replace(/^@/, '')] ?? text;
  if (schedule.test(cron)) {
    const every = everyOf(cron);
    return `${dateAdvice} (in node-cron: context.date)${every === undefined ? '' : `, or ${every}, in UTC`}`;
  }
  const length = /[a-z]$/.test(text) ? parseDuration(text) : undefined;
  if (length !== undefined && length <= day) return `${dateAdvice}, or ${slotText(length, 0)}`;
  return `${dateAdvice}. Other slots are { every: '1h', at: '15m' } and 'ever'`;
}

/** The slot of a simple schedule in UTC. `undefined`: none. */
function everyOf(cron: string): string | undefined {
  const fields = cron.split(/\s+/);
  const [second = '', minutes = '', hours = '', ...days] = fields.length === 6 ? fields : ['0', ...fields];
  if (days.some((field) => field !== '*' && field !== '?')) return undefined;
  const units = [
    { field: second, length: 1_000, most: 60 },
    { field: minutes, length: minute, most: 60 },
    { field: hours, length: hour, most: 24 },
  ];
  let at = 0;
  for (const [index, { field, length, most }] of units.entries()) {
    if (/^\d+$/.test(field)) {
      at += Number(field) * length;
      continue;
    }
    const [, step = '1'] = /^\*(?:\/(\d+))?$/.exec(field) ?? [undefined, '0'];
    const isWhole = Number(step) > 0 && most % Number(step) === 0;
    return isWhole && units.slice(index + 1).every((unit) => unit.field === '*')
      ? slotText(Number(step) * length, at)
      : undefined;
  }
  return slotText(day, at);
}

/** A slot as code. */
export function slotText(every: number, at: number): string {
  return `{ every: ${durationText(every)}${at === 0 ? '' : `, at: ${durationText(at)}`} }`;
}
