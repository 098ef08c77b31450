import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

export interface Note {
  readonly factId: string;
  readonly hash: string;
}

export interface AnchorProof {
  readonly fact: string;
  readonly txHash: string;
  readonly status: string;
  readonly blockHeight: number | null;
  readonly replaced: readonly string[];
}

/** Waits until the anchor of every batch is in a block. */
export async function waitUntilAllLanded({ sql }: Pick<TestStack, 'sql'>): Promise<void> {
  await until(
    async () => {
      const { rows } = await sql.query<{ missing: number }>(
        'select count(*)::int as missing from anchor_batches where not landed',
      );
      return rows[0]?.missing === 0;
    },
    { what: 'every batch to be on the ledger' },
  );
}

export async function readProof({ api }: Pick<TestStack, 'api'>, factId: string): Promise<AnchorProof> {
  const { status, body } = await api.get<{ data: AnchorProof }>(`/anchors/${factId}/proof`);
  if (status !== 200) throw new Error(`no proof of ${factId}: ${JSON.stringify(body)}`);
  return body.data;
}

type StackAddresses = Pick<TestStack, 'apiUrl' | 'ledger' | 'adminKey'>;

/** Runs the script of docs/verification.md that checks an anchored fact; returns its output. */
export function runAnchorCheck({ apiUrl, ledger, adminKey }: StackAddresses, factId: string): Promise<string> {
  const proof = `${apiUrl()}/api/v1/anchors/${factId}/proof`;
  return runDocumentedScript('Check an anchor yourself', [proof, `${ledger.url}/api/v0`, adminKey]);
}

/** Runs the script of docs/verification.md that recounts a closed vote; returns its output. */
export function runVoteRecount({ apiUrl, ledger, adminKey }: StackAddresses, proposalId: string, voteId: string) {
  return runDocumentedScript('Recount a vote yourself', [
    apiUrl(),
    `${ledger.url}/api/v0`,
    adminKey,
    proposalId,
    voteId,
  ]);
}

/** Runs the script below a heading of docs/verification.md; returns its output. */
async function runDocumentedScript(heading: string, args: readonly string[]): Promise<string> {
  const [, section = ''] = (await readFile('docs/verification.md', 'utf8')).split(`## ${heading}\n`);
  const script = /^[^#]*?```js\n(.*?)```/s.exec(section)?.[1] ?? '';
  await mkdir('.cache', { recursive: true });
  // Inside the repository, where the script finds the package that it imports.
  const folder = await mkdtemp(join('.cache', 'check-'));
  try {
    const file = join(folder, 'check.mjs');
    await writeFile(file, script);
    const { stdout } = await promisify(execFile)(process.execPath, [file, ...args]);
    return stdout.trim();
  } finally {
    await rm(folder, { recursive: true });
  }
}
