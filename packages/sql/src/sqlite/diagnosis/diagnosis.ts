import { statSync, statfsSync } from 'node:fs';
import type { Check } from '@locks/core/adapter';
import type { DialectDiagnosis, Examined } from '../../dialect/diagnosis.ts';

/**
 * Network file systems, by their numbers in Linux. Several hosts may open one file there, but
 * SQLite's locks are local to a host.
 */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x51_7b, 'SMB'],
  [0xff_53_4d_42, 'CIFS'],
  [0xfe_53_4d_42, 'SMB 2'],
  [0x01_02_19_97, '9P'],
  [0x00_c3_64_00, 'Ceph'],
  [0x0b_d0_0b_d0, 'Lustre'],
]);
/** It may be a network file system. */
const fuse = 0x65_73_55_46;

const checks: readonly Check<Examined>[] = [
  {
    name: 'file-system',
    look({ file }) {
      const type = Number(BigInt.asUintN(32, BigInt(statfsSync(file).type)));
      const network = networkFileSystems.get(type);
      if (network !== undefined) {
        return {
          level: 'problem',
          what: `The file is on ${network}: processes of two hosts can hold one key.`,
          advice: 'Move it to a disk of this host, or use a store for several hosts.',
        };
      }
      if (type !== fuse) return { level: 'ok', what: 'The file is on a disk of this host.' };
      return {
        level: 'note',
        what: 'The file is on a file system of FUSE, which may be of several hosts.',
        advice: 'See that processes of one host alone open it.',
      };
    },
  },
];

export const diagnosis: DialectDiagnosis = {
  checks,
  async identity({ file }) {
    const { dev, ino } = statSync(file);
    return `${dev} ${ino}`;
  },
};
