import { statSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Check } from '@locks/core/adapter';
import type { DialectDiagnosis, Examined } from '../../dialect/diagnosis.ts';

/**
 * File systems of the network, by the numbers that Linux has for them. Several hosts may open one
 * file there, and locks of SQLite are of one host.
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
/** It may be of the network. */
const fuse = 0x65_73_55_46;
/** In bytes: a commit needs room for its pages, and a checkpoint for all of the log. */
const leastSpace = 16 * 1024 * 1024;

const checks: readonly Check<Examined>[] = [
  {
    name: 'version',
    async look({ rows }) {
      const [row] = await rows('SELECT sqlite_version() AS version');
      return { level: 'ok', what: `SQLite ${String(row?.['version'])}: locks for the processes of this host.` };
    },
  },
  {
    name: 'journal',
    async look({ rows }) {
      const [row] = await rows('PRAGMA locks_file.journal_mode');
      const mode = String(row?.['journal_mode']);
      if (mode === 'wal') return { level: 'ok', what: 'The file has a write-ahead log.' };
      return {
        level: 'warning',
        what: `The journal mode is ${mode}: a reader holds up all locks.`,
        advice: 'Move the file to a disk of this host, where it can have a write-ahead log.',
      };
    },
  },
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
  {
    name: 'space',
    look({ file }) {
      const { bavail, bsize } = statfsSync(file);
      if (bavail * bsize >= leastSpace) return { level: 'ok', what: 'The disk has room.' };
      return {
        level: 'warning',
        what: `The disk has ${Math.floor((bavail * bsize) / 1024)} KiB left: on a full disk no lock is granted.`,
        advice: 'Make room.',
      };
    },
  },
  {
    name: 'rights',
    look({ file }) {
      if (process.platform === 'win32') return undefined;
      const open = [file, dirname(file)].find((path) => {
        const { mode } = statSync(path);
        // In a folder with the sticky bit, such as /tmp, users do not remove the files of others.
        return (mode & 0o002) !== 0 && (mode & 0o1000) === 0;
      });
      if (open === undefined) return { level: 'ok', what: 'Other users of this host cannot change the file.' };
      return {
        level: 'warning',
        what: `Each user of this host can change ${JSON.stringify(open)}, and so release locks.`,
        advice: `Run: chmod o-w ${JSON.stringify(open)}`,
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
