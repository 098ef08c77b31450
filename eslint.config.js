import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

const time = [
  { object: 'Date', property: 'now', message: 'Take time from an injected Clock.' },
  { object: 'Math', property: 'random', message: 'Take randomness from an injected source.' },
];

/** Functions that fail the test they are called in; `expect*` are those whose name begins so. */
const assertions = ['expect', 'expect*', 'waitForSearchAttributes', 'waitUntilReady', 'fc.asyncModelRun'];

export default tseslint.config(
  {
    ignores: [
      'node_modules/**',
      '.data*/**',
      'coverage/**',
      'client/{dist/**,src/schema.ts}',
      '**/*.js',
      '**/*.cjs',
      '**/*.mjs',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-lines': ['error', 300],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 10],
      'no-console': 'error',
      'no-restricted-properties': ['error', ...time],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: 'Take time from an injected Clock.',
        },
        { selector: 'CatchClause > BlockStatement[body.length=0]', message: 'Nothing is swallowed.' },
      ],
    },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts'],
    ...jest.configs['flat/recommended'],
    rules: {
      ...jest.configs['flat/recommended'].rules,
      'jest/expect-expect': ['error', { assertFunctionNames: assertions }],
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-properties': 'off',
      'no-restricted-syntax': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    // They call the ledger or load a page, or check the responses themselves.
    ignores: [
      'test/{chain,contract,ledger,stack}/**',
      'test/vault-lifecycle/ledger-requests.test.ts',
      'test/vaults/refused-transactions.test.ts',
      'test/http/docs-page.test.ts',
    ],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Use a client that checks the responses: apiClient with checkedFetch.' },
      ],
    },
  },
  // It gives what is injected elsewhere.
  { files: ['client/src/timing.ts'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['workflows/**/*.ts'], rules: { 'no-restricted-properties': 'off' } },
);
