/** The import rules of the architecture: who may import whom, by the role that a file's name says. @type {import('dependency-cruiser').IConfiguration} */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
const own = '^(src|workflows|activities|worker|embedded|test|bench|scripts|client)/';
const tests = '\\.test\\.ts$';

/** Files of a feature, by role: `rules.ts` or a folder `rules/`, and so on. */
const role = (name) => `^src/[^/]+/${name}[./]|^src/[^/]+/[^/]+/${name}[./]`;
const [rules, queries] = [role('rules'), role('queries')];
/** Also `schemas.ts` and `deposit-routes.ts`. */
const routes = '^src/[^/]+/[^/]*(routes|schemas)[./]|^src/[^/]+/[^/]+/[^/]*(routes|schemas)[./]';
/** What every file may use: clock, money, errors. */
const basics = '^src/platform/(units/|errors|error-registry|states|async)';
const database = '^src/platform/(database|http/queries)/';

module.exports = {
  forbidden: [
    forbid(
      'no-cycles',
      'Two files that need each other are one file; type-only imports count.',
      {},
      { circular: true },
    ),
    forbid(
      'rules-are-pure',
      'Rules import rules and units: no I/O, no clock, no library.',
      { path: `${rules}|${basics}`, pathNot: `${tests}|^src/signing-policy/` },
      { pathNot: `${rules}|${basics}` },
    ),
    forbid(
      'cardano-knows-no-feature',
      'It reads ledgers and builds transactions from what it is given.',
      { path: '^src/cardano/', pathNot: tests },
      { path: own, pathNot: `^src/cardano/|${rules}|${basics}` },
    ),
    forbid(
      'queries-decide-nothing',
      'Queries know the shapes of what is stored, not who asks or why.',
      { path: `${queries}|${database}`, pathNot: tests },
      {
        path: own,
        pathNot: `${queries}|${rules}|${database}|${basics}|^src/cardano/transaction\\.ts$|^src/platform/temporal/(messages|workflow-ids|workflow-outbox)\\.ts$`,
      },
    ),
    forbid(
      'temporal-carries-messages',
      'The outbox relay sends what Postgres holds; messages are what workflows and use cases share.',
      { path: '^src/platform/temporal/', pathNot: tests },
      { path: own, pathNot: `^src/platform/(temporal|observability)/|${queries}|${rules}|${database}|${basics}` },
    ),
    forbid(
      'policy-knows-no-builder',
      'It evaluates what the builders have built (design D44): a mistake of theirs must not be one of its own.',
      { path: '^src/signing-policy/', pathNot: tests },
      { path: '^src/cardano/build/' },
    ),
    forbid(
      'policy-knows-no-use-case',
      'The rules of the signing policy import rules and ledger code; only its evidence reads Postgres.',
      { path: '^src/signing-policy/', pathNot: `${tests}|^src/signing-policy/evidence/` },
      { path: own, pathNot: `^src/(signing-policy|cardano)/|${rules}|${basics}` },
    ),
    forbid(
      'use-cases-know-no-caller',
      'A use case is called by routes and by activities alike.',
      { path: '^src/[^/]+/', pathNot: `${tests}|${routes}|^src/(platform|events|operations/commands)/|-metrics\\.ts$` },
      {
        path: `${routes}|^src/platform/(http|openapi|config|observability)/|^(workflows|activities|worker|embedded|test)/`,
        pathNot: '^src/platform/http/queries/',
      },
    ),
    forbid(
      'use-cases-know-no-framework',
      'Parsing belongs to routes, progress to workflows.',
      {
        path: '^src/[^/]+/',
        pathNot: `${tests}|${routes}|^src/(cardano|platform|events|operations/commands)/|-metrics\\.ts$`,
      },
      { path: '^node_modules/(zod|zod-openapi|express|socket\\.io|@temporalio)' },
    ),
    forbid(
      'routes-are-wired-by-the-api',
      'Platform and features know neither the api nor what runs beside it.',
      { path: '^src/[^/]+/', pathNot: tests },
      { path: '^(workflows|activities|worker|embedded|test)/|^src/(main|api)\\.ts$' },
    ),
    forbid(
      'openapi-describes-routes',
      'A route does not know how it is published.',
      { path: `${routes}|^src/platform/http/`, pathNot: tests },
      { path: '^src/platform/openapi/' },
    ),
    forbid(
      'activities-call-use-cases',
      'Activities use what routes use, never routes.',
      { path: '^activities/', pathNot: tests },
      {
        path: `^(workflows|worker|embedded|test)/|${routes}|^src/platform/http/(?!queries/)|^src/(main|api|routes)\\.ts$`,
      },
    ),
    forbid(
      'workflows-are-deterministic',
      'Workflow code runs again on replay: rules, Temporal messages and the workflow SDK only.',
      { path: '^workflows/', pathNot: tests },
      {
        pathNot: `${rules}|${basics}|^src/platform/temporal/|^workflows/|^node_modules/@temporalio/(workflow|common|activity)/`,
      },
    ),
    forbid(
      'api-is-not-worker',
      'They meet in Postgres and Temporal.',
      { path: '^src/' },
      { path: '^(worker|workflows|activities)/' },
    ),
    forbid(
      'worker-is-not-api',
      'They meet in Postgres and Temporal.',
      { path: '^(worker|workflows|activities)/' },
      { path: `${routes}|^src/platform/http/(?!queries/)|^src/(main|api|routes)\\.ts$` },
    ),
    forbid(
      'client-knows-no-service',
      'It is published alone: what it knows of the service is generated from the OpenAPI document.',
      { path: '^client/' },
      { pathNot: '^client/|^node_modules/openapi-fetch/' },
    ),
    forbid(
      'service-knows-no-client',
      'The client is for others.',
      { path: '^(src|workflows|activities|worker)/' },
      { path: '^client/' },
    ),
    forbid(
      'nothing-imports-main',
      'A composition root is the end of the line.',
      { pathNot: '^(embedded|test|bench)/' },
      { path: '^src/main\\.ts$|^worker/main\\.ts$|^src/operations/commands/main\\.ts$' },
    ),
    forbid(
      'embedded-is-development',
      'Production never loads it.',
      { pathNot: '^(embedded|test|bench)/' },
      { path: '^embedded/' },
    ),
    forbid(
      'tests-are-leaves',
      'Only tests and benches import tests.',
      { pathNot: `^(test|bench)/|${tests}` },
      { path: `^test/|${tests}` },
    ),
    forbid(
      'runs-without-dev-packages',
      '`npm start` installs no others (scripts/bootstrap.mjs).',
      { path: '^(src|workflows|activities|worker|embedded|client)/', pathNot: tests },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
    forbid('resolvable', 'Every import leads somewhere.', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // What `npm pack ./client` leaves there.
    exclude: { path: '^client/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
