import { systemRuntime } from '@locks/core/adapter';
import { fromConfig } from '../../src/index.ts';
import { startAlone } from '../support/backends.ts';
import { suite } from '../support/conformance.ts';
import type { Make } from '../support/conformance.ts';
import { ofAccess } from '../support/selection.ts';

/** With nodes that belong to one user, below a chroot. */
const configured: Make = ({ servers, ...options }) =>
  fromConfig({ url: `zookeeper://ann:secret@${servers}/app`, options, runtime: systemRuntime });

const backend = await startAlone();
suite('zookeeper, configured', backend, { acl: 'creator' }, ofAccess, configured);
