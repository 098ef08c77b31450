/**
 * Unit tests live beside pure code, the rest under test/. The folders in `alone` bring what they need themselves; every
 * other folder of test/ runs on the Postgres and the Temporal server that one run starts and shares.
 * @type {import('jest').Config}
 */
const alone = ['chain', 'client', 'contract', 'ledger', 'money', 'secrets', 'start', 'deployment'];
const besideCode = ['src', 'workflows', 'activities', 'embedded', 'scripts'];

/** Run by commands alone: `npm run soak`, which takes minutes, and `npm run record:histories`. */
const onDemand = [
  ...(process.env.SOAK_MINUTES === undefined ? ['<rootDir>/test/soak/soak.test'] : []),
  ...(process.env.RECORD_HISTORIES === undefined ? ['<rootDir>/test/histories/record.test'] : []),
];

/** Kills, outages, rollbacks, whole lives and browsers take minutes: their files are named `*.long.test.ts`. */
const testRegex = { short: '(?<!\\.long)\\.test\\.ts$', long: '\\.long\\.test\\.ts$' }[process.env.TEST_LENGTH];

const natively = '<rootDir>/test/stack/load-natively.mjs';

const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/contract/after-each.ts'],
  testRegex: testRegex ?? '\\.test\\.ts$',
  setupFiles: ['<rootDir>/test/stack/one-error.ts'],
  transformIgnorePatterns: [],
  transform: {
    // Without jest itself, and those that want objects, functions or arrays of their own.
    '/node_modules/(?!@?jest|@noble/|slip39/|pino/).+\\.[cm]?js$': natively,
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
};

export default {
  projects: [
    {
      ...shared,
      displayName: 'alone',
      roots: [...besideCode, ...alone.map((folder) => `test/${folder}`)].map((folder) => `<rootDir>/${folder}`),
    },
    {
      ...shared,
      displayName: 'stack',
      transform: {
        [`^${import.meta.dirname}/(src|workflows|activities|embedded|client)/.+\\.ts$`]: natively,
        ...shared.transform,
      },
      roots: ['<rootDir>/test'],
      testPathIgnorePatterns: [`<rootDir>/test/(${alone.join('|')})/`, ...onDemand],
      globalSetup: '<rootDir>/test/stack/global-setup.mjs',
      globalTeardown: '<rootDir>/test/stack/global-teardown.mjs',
    },
  ],
  reporters: ['default', '<rootDir>/test/stack/log-reporter.ts'],
  // What a test waits for has deadlines of its own (`until`); this one only ends what forgot them, on the slowest machine, too.
  testTimeout: 900_000,
  testSequencer: '<rootDir>/test/stack/processes-first.mjs',
  // Half a core is busy for each file that starts processes: the others wait.
  maxWorkers: 4,
};
