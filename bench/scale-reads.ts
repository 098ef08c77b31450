import { costOf } from './cost.ts';
import { quantile } from './quantiles.ts';
import type { BenchStack } from './stack.ts';
import { stranger } from './stranger.ts';

const READS = 20;

/** A page of each list by each of its sorts, and by a filter that few rows match. */
const pages = [
  ...['createdAt', 'updatedAt', 'name', 'status'].map((sort) => `/vaults?sort=${sort}:desc`),
  ...['createdAt', 'updatedAt', 'kind', 'status'].map((sort) => `/transactions?sort=${sort}:desc`),
  ...['/vaults?status=ACTIVE', '/transactions?status=submitted', '/transactions?kind=mint'],
];
const ofVault = ['', '/valuation', '/assets', '/investments', '/stakes', '/proposals', '/activity'];

/** Prints what each read takes, for an admin and for strangers. */
export async function measureReads(print: (line: string) => void, stack: BenchStack): Promise<void> {
  const callers = { ADMIN: {}, 'a stranger': await stranger(stack) };
  const { rows } = await stack.sql.query<{ id: string; proposal: string; wallet: string }>(
    `select id, created_by as wallet, (select p.id from proposals p where p.vault_id = vaults.id limit 1) as proposal
     from vaults where type = 'PUBLIC' and status = 'LOCKED' order by id desc limit ${READS}`,
  );
  const everywhere = pages.map((path) => ({ name: path, at: (read: number) => `${path}&limit=${20 + read}` }));
  const ofOne = [
    ...ofVault.map((part) => ({
      name: `/vaults/…${part}`,
      at: (read: number) => `/vaults/${rows[read]?.id ?? ''}${part}`,
    })),
    { name: '/proposals/…', at: (read: number) => `/proposals/${rows[read]?.proposal ?? ''}` },
    { name: '/proposals/…/votes', at: (read: number) => `/proposals/${rows[read]?.proposal ?? ''}/votes` },
    { name: '/wallets/…/vaults', at: (read: number) => `/wallets/${rows[read]?.wallet ?? ''}/vaults` },
  ];
  for (const [caller, options] of Object.entries(callers)) {
    for (const { name, at } of caller === 'ADMIN' ? [...everywhere, ...ofOne] : everywhere)
      print(`| \`${name}\` | ${caller} | ${await timeReads(stack, at, options)} |`);
  }
}

async function timeReads(
  { api, ...stack }: BenchStack,
  at: (read: number) => string,
  options: object,
): Promise<string> {
  const times: number[] = [];
  const { rows } = await costOf({ api, ...stack }, async () => {
    // No read is kept for the next one.
    for (let read = 0; read < READS; read += 1) {
      const start = performance.now();
      const { status } = await api.get(at(read), options);
      if (status !== 200) throw new Error(`${at(read)}: ${status}`);
      times.push(performance.now() - start);
    }
  });
  const milliseconds = (share: number) => `${quantile(times, share).toFixed(1)} ms`;
  return `${milliseconds(0.5)} | ${milliseconds(1)} | ${Math.round(rows / READS)}`;
}
