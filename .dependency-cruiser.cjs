/** The arrows of the architecture: who may import whom. @type {import('dependency-cruiser').IConfiguration} */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
const own = '^(src|workflows|activities|worker|embedded|test|bench|scripts|console)/';
const tests = '\\.test\\.ts$';

module.exports = {
  forbidden: [
    forbid(
      'no-cycles',
      'Two files that need each other are one file.',
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
    forbid(
      'domain-imports-nothing',
      'Rules know no I/O.',
      { path: '^src/domain/', pathNot: tests },
      { pathNot: '^src/domain/' },
    ),
    forbid(
      'infrastructure-to-domain',
      'store, chain, temporal and events know the domain, not each other. What they may share are types and the names of messages. The courier and the sequencer carry on what the store keeps.',
      {
        path: '^src/(store|chain|temporal|events)/',
        pathNot: `${tests}|^src/(temporal/courier|events/.*)\\.ts$`,
      },
      {
        path: own,
        pathNot: '^src/(domain|$1)/|^src/temporal/(messages|workflow-ids)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    ),
    forbid(
      'consequences-know-no-caller',
      'What a transaction causes in Postgres, whoever found it on the ledger.',
      { path: '^src/consequences/', pathNot: tests },
      { path: own, pathNot: '^src/(consequences|effects|domain|chain|store|temporal)/' },
    ),
    forbid(
      'effects-know-no-caller',
      'What a proposal does when it is executed: built for routes, caused by the follower.',
      { path: '^src/effects/', pathNot: tests },
      { path: own, pathNot: '^src/(effects|domain|chain|store|temporal)/' },
    ),
    forbid(
      'http-knows-no-process',
      'Routes are wired by main.',
      { path: '^src/(http|auth|observability)/', pathNot: tests },
      { path: '^(workflows|activities|worker|embedded|test)/|^src/main\\.ts$' },
    ),
    forbid(
      'anchors-know-no-http',
      'Api and activities put facts into batches alike.',
      { path: '^src/anchors/', pathNot: tests },
      { path: '^(workflows|activities|worker|embedded|test)/|^src/(http|auth|main)' },
    ),
    forbid(
      'activities-know-no-http',
      'Activities use what routes use, never routes.',
      { path: '^activities/', pathNot: tests },
      { path: '^(workflows|worker|embedded|test)/|^src/(http|main)' },
    ),
    forbid(
      'workflows-are-deterministic',
      'Workflow code runs again on replay: domain rules, Temporal messages and the workflow SDK only.',
      { path: '^workflows/', pathNot: tests },
      {
        pathNot:
          '^(src/domain|src/temporal|workflows)/|^node_modules/@temporalio/(workflow|common|activity)/|^activities/.*',
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
      { path: '^src/(http|main)' },
    ),
    forbid(
      'nothing-imports-main',
      'A composition root is the end of the line.',
      { pathNot: '^(embedded|test|bench)/' },
      { path: '(^src|^worker)/main\\.ts$' },
    ),
    forbid(
      'embedded-is-development',
      'Production never loads it.',
      { pathNot: '^(embedded|test|bench)/' },
      { path: '^embedded/' },
    ),
    forbid(
      'tests-are-leaves',
      'Nothing but tests imports tests.',
      { pathNot: `^(test|bench)/|${tests}` },
      { path: `^test/|${tests}` },
    ),
    forbid('resolvable', 'Every import leads somewhere.', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
