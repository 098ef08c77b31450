type Group = readonly [name: string, description: string, pattern: RegExp];

/** The groups of operations in the order in which `/docs` shows them; an operation belongs to the first whose pattern its path has. */
const groups: readonly Group[] = [
  ['Login', 'Log in with a wallet and manage its sessions', /^\/api\/v1\/auth\//],
  ['Events', 'Follow changes in real time', /^\/api\/v1\/events/],
  [
    'Vaults',
    'Vaults and their types',
    /\/vaults(\/[^/]+(\/(metrics|activity|allowlist|cancel|admin-email))?)?$|-types\b/,
  ],
  ['Assets', 'What is put into a vault, and its value', /\/(assets|deposits|valuation)\b/],
  ['Investments', 'ADA for a vault, and what deposits get for it', /\/(investments|quote|entitlements)\b/],
  ['Governance', 'Stakes, proposals, votes and executions', /\/(stakes|proposals|votes|voting-power)\b/],
  ['Claims', 'Shares of a vault that ends', /\/claims\b/],
  [
    'Custody',
    "Balances and movements of a vault's addresses",
    /\/(rotations|unsolicited|statement|remains|reconciliations)\b/,
  ],
  ['Transactions', 'Signatures, finality, and proofs of what they anchor', /\/(transactions|anchors)\b/],
  ['Development', 'Only with `npm start`: wallets, faucet, clock, prices, faults', /^\/dev\//],
  ['Service', 'Keys, roles, versions, switches, health', /^\//],
];

/** The group of an operation. */
export function tagOf(path: string): string {
  return groups.find(([, , pattern]) => pattern.test(path))?.[0] ?? '';
}

/** The groups that operations at these paths belong to. */
export function tagsOf(paths: readonly string[]) {
  const used = new Set(paths.map(tagOf));
  return groups.filter(([name]) => used.has(name)).map(([name, description]) => ({ name, description }));
}
