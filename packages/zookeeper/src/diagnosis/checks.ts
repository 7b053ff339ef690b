import { encryption, isLoopback, majority } from '@locks/core/adapter';
import type { Check } from '@locks/core/adapter';
import { printAddress, printAddresses } from '../connection/address.ts';
import type { Acl } from '../wire/records.ts';
import type { Ensemble } from './ensemble.ts';

const denied = 'no server answers the word srvr; list it in 4lw.commands.whitelist to see more';

/** A pause of a process, such as that of a garbage collection, is often as long. In ms. */
const leastTimeout = 4_000;

/** Of `world:anyone`: all but to read. */
const writing = 30;

const isOpen = ({ scheme, permissions }: Acl): boolean => scheme === 'world' && (permissions & writing) !== 0;

/** What an ensemble is asked. */
export const checks: readonly Check<Ensemble>[] = [
  {
    name: 'version',
    look({ servers }) {
      const texts = servers.flatMap(({ status }) => /^Zookeeper version: ([^-,\s]+)/.exec(status)?.[1] ?? []);
      const versions = [...new Set(texts)];
      if (versions.length === 0) throw new Error(denied);
      return { level: 'ok', what: `ZooKeeper ${versions.join(' and ')}.` };
    },
  },
  {
    name: 'members',
    look({ servers, voters }) {
      const alone = voters === 0 || servers.some(({ mode }) => mode === 'standalone');
      if (alone) {
        return {
          level: 'warning',
          what: 'One server runs alone: while it is down, nothing gets a lock, and holders lose theirs.',
          advice: 'Run an ensemble of three servers.',
        };
      }
      if (voters === undefined) throw new Error('the user may not read /zookeeper/config');
      return majority(voters, 'servers');
    },
  },
  {
    name: 'addresses',
    look({ options, voters = 0 }) {
      const named = options.addresses.length;
      if (named > 1 || voters < 2) return undefined;
      return {
        level: 'warning',
        what: `The configuration names one server of ${voters}: while that one is down, this process gets no lock.`,
        advice: 'Name all servers, or a name in DNS that leads to all.',
      };
    },
  },
  {
    name: 'silent-servers',
    look({ servers }) {
      const silent = servers.filter(({ status }) => status === '');
      if (silent.length === servers.length) throw new Error(denied);
      if (silent.length === 0) return { level: 'ok', what: 'All servers of the configuration answer.' };
      return {
        level: 'warning',
        what: `${printAddresses(silent.map(({ address }) => address))} does not answer.`,
        advice: 'Start it, or take it out of the configuration.',
      };
    },
  },
  {
    name: 'voting',
    look({ servers }) {
      const others = servers.filter(({ mode }) => mode === 'observer' || mode === 'read-only');
      if (others.length === 0) return undefined;
      return {
        level: 'warning',
        what: `${printAddresses(others.map(({ address }) => address))} takes no part in votes, and is not used.`,
        advice: 'Take it out of the configuration.',
      };
    },
  },
  {
    name: 'session-timeout',
    look({ options, sessionTimeout }) {
      const { sessionTimeout: asked } = options;
      if (sessionTimeout !== asked) {
        return {
          level: 'warning',
          what: `The servers give sessions of ${sessionTimeout} ms in place of ${asked}.`,
          advice: 'Change option sessionTimeout, or minSessionTimeout and maxSessionTimeout of the servers.',
        };
      }
      if (sessionTimeout >= leastTimeout) {
        return { level: 'ok', what: `Locks of a silent process end after ${sessionTimeout} ms.` };
      }
      return {
        level: 'warning',
        what: `A process that pauses for ${sessionTimeout} ms loses all its locks.`,
        advice: `Set option sessionTimeout to ${leastTimeout} at least.`,
      };
    },
  },
  {
    name: 'acl',
    async look({ options, servers, rights }) {
      const found = (await rights()) ?? options.acl;
      if (!found.some(isOpen)) return { level: 'ok', what: 'Other users cannot change the nodes of the locks.' };
      return {
        level: servers.every(({ address }) => isLoopback(address.host)) ? 'note' : 'warning',
        what: `Each client of the servers can change ${options.root}, and so end locks (world:anyone).`,
        advice: 'Give option auth, and set the rights of the nodes that are there already.',
      };
    },
  },
  {
    name: 'tls',
    look({ options, servers }) {
      const address = servers.map((server) => server.address).find(({ host }) => !isLoopback(host));
      const host = address === undefined ? 'localhost' : printAddress(address);
      return encryption(host, options.tls !== undefined, 'Set option tls, and name the secureClientPort.');
    },
  },
];
