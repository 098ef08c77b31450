/** The import rules of the architecture: who may import whom. @type {import('dependency-cruiser').IConfiguration} */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
const own = '^(src|workflows|activities|worker|embedded|test|bench|scripts|client)/';
const tests = '\\.test\\.ts$';

module.exports = {
  forbidden: [
    forbid(
      'no-cycles',
      'Two files that need each other are one file; type-only imports count.',
      {},
      { circular: true },
    ),
    forbid(
      'domain-imports-nothing',
      'Rules are pure: no I/O, no clock, no library.',
      { path: '^src/domain/', pathNot: tests },
      { pathNot: '^src/domain/' },
    ),
    forbid(
      'chain-imports-domain',
      'The chain code reads ledgers and builds transactions from what it is given.',
      { path: '^src/chain/', pathNot: tests },
      { path: own, pathNot: '^src/(chain|domain)/' },
    ),
    forbid(
      'store-decides-nothing',
      'Queries only. The store knows the shapes of what it keeps, not who asks or why.',
      { path: '^src/store/', pathNot: tests },
      {
        path: own,
        pathNot: '^src/(store|domain)/|^src/chain/transaction\\.ts$|^src/temporal/(messages|workflow-ids)\\.ts$',
      },
    ),
    forbid(
      'temporal-and-events-carry-on-the-store',
      'The outbox relay and the sequencer read what the store keeps.',
      { path: '^src/(temporal|events)/', pathNot: tests },
      { path: own, pathNot: '^src/(domain|store|$1)/|^src/observability/logger\\.ts$' },
    ),
    forbid(
      'justification-knows-no-builder',
      'It judges what the builders have built (design D44): a mistake of theirs must not be one of its own.',
      { path: '^src/justification/', pathNot: tests },
      { path: own, pathNot: '^src/(justification|domain|chain)/' },
    ),
    forbid(
      'justification-shares-no-building-code',
      'As above.',
      { path: '^src/justification/', pathNot: tests },
      { path: '^src/chain/build/' },
    ),
    forbid(
      'anchoring-knows-no-service',
      'Services and activities anchor; anchoring calls neither.',
      { path: '^src/anchoring/', pathNot: tests },
      { path: own, pathNot: '^src/(anchoring|domain|chain|store|temporal)/' },
    ),
    forbid(
      'auth-knows-no-service',
      'Who calls: keys, wallet login, sessions.',
      { path: '^src/auth/', pathNot: tests },
      { path: own, pathNot: '^src/(auth|domain|chain|store)/' },
    ),
    forbid(
      'services-know-no-caller',
      'A use case is called by routes and by activities alike.',
      { path: '^src/services/', pathNot: tests },
      { path: own, pathNot: '^src/(services|justification|anchoring|domain|chain|store|temporal)/' },
    ),
    forbid(
      'services-know-no-framework',
      'Parsing belongs to http, progress to workflows.',
      { path: '^src/services/', pathNot: tests },
      { path: '^node_modules/(zod|zod-openapi|express|socket\\.io|@temporalio)' },
    ),
    forbid(
      'http-calls-services',
      'Routes are wired by the api.',
      { path: '^src/(http|server|observability)/', pathNot: tests },
      { path: '^(workflows|activities|worker|embedded|test)/|^src/(api-main|api)\\.ts$' },
    ),
    forbid(
      'openapi-describes-routes',
      'A route does not know how it is published.',
      { path: '^src/(http|server)/', pathNot: tests },
      { path: '^src/openapi/' },
    ),
    forbid(
      'activities-call-services',
      'Activities use what routes use, never routes.',
      { path: '^activities/', pathNot: tests },
      { path: '^(workflows|worker|embedded|test)/|^src/(http/|server/|api-main\\.ts$|api\\.ts$)' },
    ),
    forbid(
      'workflows-are-deterministic',
      'Workflow code runs again on replay: domain rules, Temporal messages and the workflow SDK only.',
      { path: '^workflows/', pathNot: tests },
      { pathNot: '^(src/domain|src/temporal|workflows)/|^node_modules/@temporalio/(workflow|common|activity)/' },
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
      { path: '^src/(http/|server/|api-main\\.ts$|api\\.ts$)' },
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
      { path: '^src/api-main\\.ts$|^worker/main\\.ts$|^src/ops/main\\.ts$' },
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
