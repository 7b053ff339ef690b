const { createMemoryProvider } = require('@locks/core');

exports.fromConfig = () => Object.assign(createMemoryProvider(), { name: 'theirs' });
