/** Unit tests live beside pure code, the rest under test/. @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/{src,workflows,embedded}/**/*.test.ts', '<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  testTimeout: 60_000,
};
