'use strict';

// All packages have one version. So a list of the packages of ours that a package depends on, with
// that version, would say nothing.
const { default: git } = require('@changesets/cli/changelog');

module.exports = { getReleaseLine: git.getReleaseLine, getDependencyReleaseLine: async () => '' };
