import type { Finding } from '@locks/core/adapter';
import { span } from '@locks/core/text';
import type { StoreReport } from './store-report.ts';

/** A member that is so many times slower than the fastest, and by so many ms, is told of. */
const slower = { times: 10, least: 50 };

/** What the members of a composite are to each other. */
export function compareMembers(members: readonly StoreReport[]): readonly Finding[] {
  return [...sameServers(members), ...latencies(members)];
}

function sameServers(members: readonly StoreReport[]): readonly Finding[] {
  return members.flatMap(({ title, server }, index): readonly Finding[] => {
    const other = members.slice(0, index).find((one) => one.server !== undefined && one.server === server);
    if (other === undefined) return [];
    const what = `${other.title} and ${title} are the same server: it counts twice.`;
    return [{ check: 'same-server', level: 'problem', what, advice: 'Name servers that fail apart.' }];
  });
}

function latencies(members: readonly StoreReport[]): readonly Finding[] {
  const times = members.flatMap(({ latency }) => latency ?? []);
  if (times.length < 2) return [];
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const check = 'latency-spread';
  const what = `The members answer in ${span(least)} to ${span(most)}.`;
  if (most < slower.times * least || most - least < slower.least) return [{ check, level: 'ok', what }];
  const slow = members.find(({ latency }) => latency === most)?.title;
  return [{ check, level: 'warning', what: `${what} ${slow} is the slowest.`, advice: 'Move it nearer.' }];
}
