import type { Runtime } from '@locks/core/adapter';
import { connectTo } from '../connection/member.ts';
import { nameOf } from '../connection/host.ts';
import type { Host } from '../connection/host.ts';
import type { Members } from '../connection/members.ts';
import type { Secrets } from '../connection/secrets.ts';
import { alarms, memberList, status } from '../wire/calls.ts';
import type { AlarmAnswer, MemberListAnswer, StatusAnswer } from '../wire/messages.ts';

/** A member that the configuration names. */
export interface NamedMember {
  readonly host: Host;
  /** `undefined`: it does not answer. */
  readonly status: StatusAnswer | undefined;
}

/** The cluster that is looked at. Each question rejects where the user may not ask it. */
export interface Cluster {
  readonly named: readonly NamedMember[];
  readonly secure: boolean;
  /** What the connection shows, and whether the cluster has checked it. */
  readonly user: 'checked' | 'ignored' | 'none' | 'certificate';
  readonly list: () => Promise<MemberListAnswer>;
  readonly alarms: () => Promise<AlarmAnswer>;
}

/** How it is looked at. */
export interface Looking {
  readonly hosts: readonly Host[];
  readonly secrets: Secrets;
  readonly members: Members;
  /** In ms. */
  readonly within: number;
  readonly runtime: Runtime;
}

/** Looks at the members of a configuration. */
export async function lookAt({ hosts, secrets, members, within, runtime }: Looking): Promise<Cluster> {
  const tls = await secrets.tls();
  const shows = (await secrets.credentials()) !== undefined;
  const ask = async (host: Host): Promise<NamedMember> => {
    const member = connectTo(host, tls);
    const call = member.send(status, {}, members.token);
    const timer = runtime.setTimer(() => call.cancel(), within, true);
    try {
      return { host, status: await call.answer };
    } catch {
      return { host, status: undefined };
    } finally {
      runtime.clearTimer(timer);
      member.close();
    }
  };
  const certificate = tls !== undefined && 'cert' in tls;
  const shown = certificate ? 'certificate' : 'none';
  return {
    named: await Promise.all(hosts.map(ask)),
    secure: tls !== undefined,
    user: shows ? (members.token === undefined ? 'ignored' : 'checked') : shown,
    list: async () => await members.call(memberList, {}, 'the list of its members', { within, repeats: true }),
    alarms: async () => await members.call(alarms, {}, 'its alarms', { within, repeats: true }),
  };
}

/** The names of `members`, for messages. */
export function namesOf(members: readonly NamedMember[]): string {
  return members.map(({ host }) => nameOf(host)).join(', ');
}
